// Standard input, output and error as the program finds them, text for standard output, and the
// log, which consists of lines on standard error.
#pragma once

#include <spdlog/common.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "core/error.h"

namespace facepipe::app {

/// Opens something under the numbers of those of the three that are closed. Otherwise the next file
/// that is opened, or the pipe to which a signal writes, would take the number, and get what is
/// printed. What this function opens can be neither read nor written, under any name: whoever needs
/// the stream gets an error. Called first.
void open_closed_streams();

/// Writes to a stream at once. Returns 0, also if the reader went away, or an errno.
[[nodiscard]] int write_at_once(std::FILE* stream, std::string_view text);

/// Writes lines for people to standard output at once; terminal_lines() makes them safe. Throws
/// Error(output) if they can't be written. It is no error if the reader went away.
void print(std::string_view text);

/// Writes such lines to standard error, and ignores if they can't be written.
void tell(std::string_view text);

/// Returns what print() throws for a code of errno.
[[nodiscard]] Error standard_output_error(int code);

/// This text goes to the begin of a terminal's line and clears it.
inline constexpr std::string_view kClearLine = "\r\033[K";

/// Writes why the program ends to stderr, in a line like the log's, even if there is no log yet.
void tell_failure(const std::string& message);

/// Sends the default logger's lines, and FFmpeg's, to stderr as "facepipe: LEVEL: TEXT". TEXT has
/// passed terminal_text(). On a terminal a line replaces the progress bar. The level is info.
void start_log();

/// Changes the level of that log.
void set_log_level(spdlog::level::level_enum level);

/// Keeps hwloc (through oneTBB), SVT-AV1, OpenCV and protobuf from printing anything: what matters
/// comes back as an error, which this program prints in one line. It sets environment variables, so
/// it is called before there are threads; variables that the user has set stay.
void quiet_libraries();

}  // namespace facepipe::app
