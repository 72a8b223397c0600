// How an upright frame lies in the network's input: scaled, in the top left corner, black around.
#pragma once

#include <optional>

#include "core/geometry.h"

namespace facepipe::detector {

/// `content` is the scaled frame; `network` is content rounded up to multiples of 32.
struct NetworkFit {
  Size frame;
  Size content;
  Size network;

  /// Frame pixels for one pixel of the network's input, on each axis. Exactly 1 where content and
  /// frame are the same.
  [[nodiscard]] float scale_x() const {
    return static_cast<float>(frame.width) / static_cast<float>(content.width);
  }
  [[nodiscard]] float scale_y() const {
    return static_cast<float>(frame.height) / static_cast<float>(content.height);
  }
  friend bool operator==(const NetworkFit&, const NetworkFit&) = default;
};

/// Without `detect_size` the frame's own pixels. With it the largest picture of the frame's aspect
/// ratio that fits inside it, so a frame smaller than it is enlarged.
/// Errors: usage for a detect_size with a side < 1 or > 16384; device for a frame that leads to a
/// network with a side > 16384; internal for a frame without pixels.
[[nodiscard]] NetworkFit fit_network(Size frame, const std::optional<Size>& detect_size);

}  // namespace facepipe::detector
