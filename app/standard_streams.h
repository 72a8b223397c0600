// Opens standard streams that are closed, writes text to the streams, and sends the log to standard
// error.
#pragma once

#include <spdlog/common.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "core/error.h"

namespace facepipe::app {

/// If standard input, output or error is closed, opens an empty file under its descriptor.
/// Otherwise the next file that is opened, or the pipe to which a signal handler writes, would get
/// this descriptor. Text that is printed would then go there. The empty file can't be written,
/// under any name. So code that needs the stream gets an error. Must be called first.
void open_closed_streams();

/// Writes to a stream at once. Returns 0, or a code of errno. Returns 0, too, if nobody reads the
/// stream any longer.
[[nodiscard]] int write_at_once(std::FILE* stream, std::string_view text);

/// Writes lines for people to standard output at once, after terminal_lines() has made them safe.
/// Throws Error(output) if the lines can't be written. A closed pipe is not an error.
void print(std::string_view text);

/// Writes lines for people to standard error. Ignores errors.
void print_to_stderr(std::string_view text);

/// Returns the error that print() throws for a code of errno.
[[nodiscard]] Error standard_output_error(int code);

/// Returns whether a file descriptor is a terminal that obeys escape sequences. A terminal whose
/// TERM is "dumb", such as Emacs's shell, doesn't.
[[nodiscard]] bool is_terminal(int descriptor);

/// Returns whether text on a file descriptor may have colours: it is a terminal, and the user has
/// not set NO_COLOR (no-color.org), or has set it to nothing.
[[nodiscard]] bool takes_colours(int descriptor);

/// This escape sequence moves the cursor to the beginning of the terminal's line and clears the
/// line.
inline constexpr std::string_view kClearLine = "\r\033[K";

/// Writes to stderr why the program ends. The line looks like a line of the log, even if there is
/// no log yet.
void print_failure(const std::string& message);

/// Sends the lines of the default logger and of FFmpeg to stderr as "facepipe: LEVEL: TEXT", where
/// TEXT is a result of terminal_text(). On a terminal, a line replaces the progress bar. The level
/// is info.
void start_log();

/// Changes the level of that log.
void set_log_level(spdlog::level::level_enum level);

/// Prevents hwloc (through oneTBB), SVT-AV1, OpenCV and protobuf from printing. If something is
/// wrong, these libraries also return an error, which this program prints in one line. Sets
/// environment variables, so it must be called before there are threads. Variables that the user
/// has set stay unchanged.
void quiet_libraries();

}  // namespace facepipe::app
