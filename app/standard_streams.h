// Standard input, output and error as the program finds them, and text for standard output.
#pragma once

#include <cstdio>
#include <string_view>

#include "core/error.h"

namespace facepipe {

/// Opens /dev/null for those of the three that are closed. Otherwise the next file that is opened,
/// or the pipe that a signal writes to, takes the number, and gets what is printed. Called first.
void open_closed_streams();

/// Writes to a stream at once. 0, or an errno; 0 too where the reader went away.
[[nodiscard]] int write_at_once(std::FILE* stream, std::string_view text);

/// Writes to standard output at once. Throws Error(output) where it can't be written; that the
/// reader went away is no error.
void print(std::string_view text);

/// What print() throws: one line for a code of errno.
[[nodiscard]] Error standard_output_error(int code);

}  // namespace facepipe
