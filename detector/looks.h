// A detector may look at each picture several times: at several sizes, and at the mirrored picture.
// So it finds faces that a single look misses.
#pragma once

#include <optional>
#include <vector>

#include "core/geometry.h"

namespace facepipe::detector {

/// The largest number of scales in Looks.
inline constexpr int kMostLooks = 4;
/// The largest scale of a look.
inline constexpr float kLargestLook = 4;
/// The number of quarter turns of a turned look: 1, 2 or 3.
inline constexpr int kTurns = 3;

struct Looks {
  /// Each scale is the size of a look, relative to the usual size. The usual size is the picture's
  /// own size, or DetectorOptions::detect_size. There are 1..kMostLooks scales, each above 0 and at
  /// most kLargestLook.
  std::vector<float> scales{1.0F};
  /// If true, one more look is at the mirrored picture, at the first of the scales.
  bool mirrored = false;
  /// If true, one more look is at a turned picture, at the first of the scales. A turned look is at
  /// each frame, and its turns alternate: the picture is turned clockwise by
  /// Frame::index % kTurns + 1 quarter turns. Tracks show where a face is in the frames between.
  bool turned = false;

  friend bool operator==(const Looks&, const Looks&) = default;
};

/// Returns `size` times `scale`. Both sides are rounded, and are at least 1 pixel.
[[nodiscard]] Size scaled(Size size, float scale);

/// Returns the argument `detect_size` of fit_network() for a look at `scale` times the usual size.
/// nullopt means the frame's own size. Throws Error(device) if `scale` isn't 1 and the look has
/// more pixels than one run of the network can take (kLargestUntiled). At scale 1, large frames are
/// cut into tiles, so there is no such error.
[[nodiscard]] std::optional<Size> size_of_look(Size frame, const std::optional<Size>& detect_size,
                                               float scale);

}  // namespace facepipe::detector
