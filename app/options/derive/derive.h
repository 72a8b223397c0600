// Makes the options of a command from what a user asked for.
#pragma once

#include "app/options/asked.h"
#include "app/options/row.h"

namespace facepipe::app {

/// Makes the options of `command` from what was asked for. Throws Error(usage) if options
/// contradict each other, or if an image of --style can't be read.
[[nodiscard]] Command derive(Commands command, const Asked& asked);

}  // namespace facepipe::app
