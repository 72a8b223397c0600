// What the program, and libraries in it, write to standard error.
#pragma once

#include <spdlog/common.h>

namespace facepipe {

/// Sends the default logger's lines, and FFmpeg's, to stderr as "facepipe: LEVEL: TEXT". On a
/// terminal a line replaces the progress bar.
void start_log(spdlog::level::level_enum level);

/// From now on hwloc (through oneTBB), SVT-AV1, OpenCV and protobuf keep to themselves what they
/// would tell: what matters comes back as an error, and is told by us in one line. Sets environment
/// variables, so it comes before any thread; those that the user has set stay.
void quiet_libraries();

}  // namespace facepipe
