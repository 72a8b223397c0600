// An upright frame is scaled, and lies in the top left corner of the network's input; the rest is
// black, or has the level that the network wants.
#pragma once

#include <optional>

#include "core/geometry.h"

namespace facepipe::detector {

/// All strides of most networks divide this.
inline constexpr int kUsualMultiple = 32;

/// `content` is the size of the scaled frame. `network` is `content` rounded up to multiples of
/// some number.
struct NetworkFit {
  Size frame;
  Size content;
  Size network;

  /// Frame pixels for one pixel of the network's input, on each axis. The value is exactly 1 if
  /// content and frame are the same.
  [[nodiscard]] float scale_x() const {
    return static_cast<float>(frame.width) / static_cast<float>(content.width);
  }
  [[nodiscard]] float scale_y() const {
    return static_cast<float>(frame.height) / static_cast<float>(content.height);
  }
  friend bool operator==(const NetworkFit&, const NetworkFit&) = default;
};

/// Without `detect_size`, the network sees the frame's own pixels. With it, the network sees the
/// largest picture with the frame's aspect ratio that fits inside `detect_size`; a smaller frame is
/// enlarged. Both sides of the network become multiples of `multiple`, >= 1. Errors: usage for a
/// detect_size with a side < 1 or > 16384; device for a frame that leads to a network with a side >
/// 16384; internal for a frame without pixels.
[[nodiscard]] NetworkFit fit_network(Size frame, const std::optional<Size>& detect_size,
                                     int multiple = kUsualMultiple);

}  // namespace facepipe::detector
