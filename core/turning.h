// Finds where a pixel of the upright picture lies in the stored picture, which can be turned or
// mirrored, and where a box of a turned picture lies in the picture itself.
#pragma once

#include "core/geometry.h"
#include "core/host_device.h"

namespace facepipe {

/// Holds the position of a pixel, in whole pixels.
struct PixelPlace {
  int x = 0;
  int y = 0;
  friend bool operator==(const PixelPlace&, const PixelPlace&) = default;
};

/// Returns where the pixel `upright` of the upright picture lies in the stored picture of size
/// `stored`. It undoes the turning and mirroring that Orientation describes.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline PixelPlace before_turning(PixelPlace upright, Size stored,
                                                                    Orientation orientation) {
  PixelPlace from = upright;
  switch (orientation.quarter_turns) {
    case 1:
      from = {upright.y, stored.height - 1 - upright.x};
      break;
    case 2:
      from = {stored.width - 1 - upright.x, stored.height - 1 - upright.y};
      break;
    case 3:
      from = {stored.width - 1 - upright.y, upright.x};
      break;
    default:
      break;
  }
  if (orientation.mirrored) from.x = stored.width - 1 - from.x;
  return from;
}

/// Converts a box in a picture that was turned clockwise by `quarter_turns` (0..3) to the picture
/// itself, whose size is `upright`. Host and device compute the same bits.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline Box turned_back(const Box& box, int quarter_turns,
                                                          Size upright) {
  const auto width = static_cast<float>(upright.width);
  const auto height = static_cast<float>(upright.height);
  switch (quarter_turns) {
    case 1:
      return {box.y1, height - box.x2, box.y2, height - box.x1};
    case 2:
      return {width - box.x2, height - box.y2, width - box.x1, height - box.y1};
    case 3:
      return {width - box.y2, box.x1, width - box.y1, box.x2};
    default:
      return box;
  }
}

}  // namespace facepipe
