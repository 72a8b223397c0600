// Says in a sentence or two what an option means, for all forms of the help.
#pragma once

#include <string>

#include "app/options/row.h"

namespace facepipe::app {

/// Returns the row's help, followed by its range, its default and the options that it excludes.
[[nodiscard]] std::string full_meaning(const Row& row);

/// Returns the beginning of the row's help, of about 60 characters at most: what fits beside a word
/// that a shell offers.
[[nodiscard]] std::string brief_meaning(const Row& row);

/// Returns the names and the placeholder of the arguments: "ORIGINAL HIDDEN", "INPUT..." or
/// "[COMMAND]...".
[[nodiscard]] std::string arguments_of(Commands command);

}  // namespace facepipe::app
