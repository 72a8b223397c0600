// Makes the options of review.
#pragma once

#include "app/options/asked.h"

namespace facepipe::app {

[[nodiscard]] ReviewOptions derive_review(const Asked& asked);

}  // namespace facepipe::app
