// Defines how a frame is placed in the input of a network that takes only one size.
#pragma once

#include <optional>

#include "detector/network_fit.h"

namespace facepipe::detector {

/// Returns the fit for a network that takes only pictures of the size `network`. The network gets
/// the largest picture that has the frame's aspect ratio and fits inside `network` and
/// `detect_size`, both times `scale`. Throws Error(usage) if `scale` is above 1, or as
/// fit_network(). Throws Error(internal) if the frame has no pixels.
[[nodiscard]] NetworkFit fit_into(Size frame, Size network, const std::optional<Size>& detect_size,
                                  float scale);

}  // namespace facepipe::detector
