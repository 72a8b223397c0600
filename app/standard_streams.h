// Standard input, output and error as the program finds them, text for standard output, and the
// log, which is lines on standard error.
#pragma once

#include <spdlog/common.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "core/error.h"

namespace facepipe::app {

/// Takes the numbers of those of the three that are closed. Otherwise the next file that is opened,
/// or the pipe that a signal writes to, takes the number, and gets what is printed. What stands
/// there instead can be neither read nor written, by no name: whoever needs the stream is told so.
/// Called first.
void open_closed_streams();

/// Writes to a stream at once. 0, or an errno; 0 too where the reader went away.
[[nodiscard]] int write_at_once(std::FILE* stream, std::string_view text);

/// Writes lines for people to standard output at once, as terminal_lines() makes them safe. Throws
/// Error(output) where they can't be written; that the reader went away is no error.
void print(std::string_view text);

/// Writes such lines to standard error; where that can't be written nobody is to know.
void tell(std::string_view text);

/// What print() throws: one line for a code of errno.
[[nodiscard]] Error standard_output_error(int code);

/// Goes to the begin of a terminal's line and clears it.
inline constexpr std::string_view kClearLine = "\r\033[K";

/// Tells why the program ends, in a line like the log's, on stderr, also where there is no log yet.
void tell_failure(const std::string& message);

/// Sends the default logger's lines, and FFmpeg's, to stderr as "facepipe: LEVEL: TEXT", where TEXT
/// is as terminal_text() has it. On a terminal a line replaces the progress bar.
void start_log(spdlog::level::level_enum level);

/// From now on hwloc (through oneTBB), SVT-AV1, OpenCV and protobuf keep to themselves what they
/// would tell: what matters comes back as an error, and is told by us in one line. Sets environment
/// variables, so it comes before any thread; those that the user has set stay.
void quiet_libraries();

}  // namespace facepipe::app
