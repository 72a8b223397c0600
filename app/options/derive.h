// From what a user asked for to the options of a command.
#pragma once

#include "app/options/asked.h"
#include "app/options/row.h"

namespace facepipe::app {

/// Makes the options of `command` from what was asked for. Throws Error(usage) for options that
/// contradict each other, and for an image of --style that can't be read.
[[nodiscard]] Command derive(Commands command, const Asked& asked);

}  // namespace facepipe::app
