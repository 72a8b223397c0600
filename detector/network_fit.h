// Defines how a frame is placed in a network's input. The upright frame is scaled, and lies in the
// top left corner. The rest of the input is black, or has the level that the network expects.
#pragma once

#include <optional>

#include "core/geometry.h"

namespace facepipe::detector {

/// The strides of most networks divide this number.
inline constexpr int kUsualMultiple = 32;

/// `content` is the size of the scaled frame. `network` is `content`, rounded up to multiples of a
/// number (see fit_network()).
struct NetworkFit {
  Size frame;
  Size content;
  Size network;

  /// scale_x() and scale_y() return the number of frame pixels for one pixel of the network's
  /// input, on each axis. The number is exactly 1 if `content` and `frame` are equal.
  [[nodiscard]] float scale_x() const {
    return static_cast<float>(frame.width) / static_cast<float>(content.width);
  }
  [[nodiscard]] float scale_y() const {
    return static_cast<float>(frame.height) / static_cast<float>(content.height);
  }
  friend bool operator==(const NetworkFit&, const NetworkFit&) = default;
};

/// Returns the part of a box that lies in the frame. `box` is in pixels of the network's input, and
/// the result in pixels of the frame. Returns nullopt if an edge isn't finite, or if nothing of the
/// box lies in the frame.
[[nodiscard]] std::optional<Box> box_in_frame(const NetworkFit& fit, const Box& box);

/// Without `detect_size`, the network gets the frame's own pixels. With `detect_size`, the network
/// gets the largest picture that has the frame's aspect ratio and fits inside `detect_size`; a
/// smaller frame is enlarged. Both sides of the network become multiples of `multiple`, >= 1.
/// Throws Error(usage) if a side of `detect_size` is < 1 or > 16384. Throws Error(device) if a side
/// of the network would be > 16384. Throws Error(internal) if the frame has no pixels.
[[nodiscard]] NetworkFit fit_network(Size frame, const std::optional<Size>& detect_size,
                                     int multiple = kUsualMultiple);

}  // namespace facepipe::detector
