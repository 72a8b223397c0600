// Finds where a pixel of the upright picture lies in the stored picture, which can be turned or
// mirrored.
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

}  // namespace facepipe
