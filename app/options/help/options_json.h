// Prints the tables of commands, options and exit codes as JSON.
#pragma once

#include <string>

namespace facepipe::app {

/// The number of the form of options_json(). A change that a reader may not understand raises it.
inline constexpr int kOptionsForm = 1;

/// Returns all tables as JSON, with a line break at the end. docs/options.md describes the form.
/// tests/docs/options_test.py makes the tables of this page from it.
[[nodiscard]] std::string options_json();

}  // namespace facepipe::app
