// Makes the help that people read on a terminal.
#pragma once

#include <string>

#include "app/options/options.h"

namespace facepipe::app {

/// Says whether the help shows the options of kExperiments, too.
enum class HelpDepth { usual, all };

/// Returns the help of a command ("model check"), of a group of commands ("model"), or of the
/// program if `name` is empty. Throws Error(usage) if there is no such command.
[[nodiscard]] ShowText help_on(const std::string& name, HelpDepth depth);

/// Returns what the program prints if it gets no arguments.
[[nodiscard]] ShowText short_help();

}  // namespace facepipe::app
