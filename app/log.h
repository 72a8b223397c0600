// The program's log: lines on stderr.
#pragma once

#include "app/options/options.h"

namespace facepipe {

/// Sends the default logger's lines, and FFmpeg's, to stderr as "facepipe: LEVEL: TEXT". On a
/// terminal a line replaces the progress bar.
void start_log(LogLevel level);

}  // namespace facepipe
