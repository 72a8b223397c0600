// Makes the options of hide and detect.
#pragma once

#include "app/options/asked.h"

namespace facepipe::app {

[[nodiscard]] RunOptions derive_hide(const Asked& asked);
[[nodiscard]] RunOptions derive_detect(const Asked& asked);

}  // namespace facepipe::app
