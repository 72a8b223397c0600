// The program's log: lines on stderr.
#pragma once

#include <spdlog/common.h>

namespace facepipe {

/// Sends the default logger's lines, and FFmpeg's, to stderr as "facepipe: LEVEL: TEXT". On a
/// terminal a line replaces the progress bar.
void start_log(spdlog::level::level_enum level);

}  // namespace facepipe
