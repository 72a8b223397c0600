// Makes the options of split, part and join.
#pragma once

#include "app/options/asked.h"

namespace facepipe::app {

/// @param derive_whole  makes the options of the command whose work is split
[[nodiscard]] SplitOptions derive_split(const Asked& asked,
                                        RunOptions (*derive_whole)(const Asked&));
[[nodiscard]] PartOptions derive_part(const Asked& asked);
[[nodiscard]] JoinOptions derive_join(const Asked& asked);

}  // namespace facepipe::app
