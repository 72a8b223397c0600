// A detector may look at each picture several times: at several sizes, and in a mirror. It then
// finds faces that one look misses.
#pragma once

#include <optional>
#include <vector>

#include "core/geometry.h"

namespace facepipe::detector {

/// The most sizes at which a picture is looked at.
inline constexpr int kMostLooks = 4;
/// The largest scale of a look.
inline constexpr float kLargestLook = 4;

struct Looks {
  /// Sizes at which the picture is looked at, as shares of the usual size, which is the picture's
  /// own or DetectorOptions::detect_size. 1..kMostLooks of them, each above 0, at most
  /// kLargestLook.
  std::vector<float> scales{1.0F};
  /// The picture is looked at in a mirror as well, at the first of the sizes.
  bool mirrored = false;

  friend bool operator==(const Looks&, const Looks&) = default;
};

/// Returns `size` times `scale`, rounded, with sides of at least a pixel.
[[nodiscard]] Size scaled(Size size, float scale);

/// Returns the size at which a look sees frames, as fit_network() takes it; nullopt: their own.
/// Errors: device for a look that has more pixels than one run of the network takes
/// (kLargestUntiled). The usual size has none of these errors, because its frames are cut into
/// tiles.
[[nodiscard]] std::optional<Size> size_of_look(Size frame, const std::optional<Size>& detect_size,
                                               float scale);

}  // namespace facepipe::detector
