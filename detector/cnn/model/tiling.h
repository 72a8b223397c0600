// How a picture that is too large for one run of the network is looked at: in tiles that overlap,
// and once as a whole, reduced.
//
// A function of the picture's size alone, never of the device or its memory, so that all find the
// same. Both axes are cut alike: tiles begin at multiples of 32 and their sides differ from the
// picture's by multiples of 32, so the network's strides fall on the pixels on which they would
// fall in the whole picture, chroma is never cut in two, and both hold however the picture is
// stored turned or mirrored. The overlap holds the smallest face that the reduced picture shows
// well: each face lies wholly in a tile, or is large enough for the reduced picture.
#pragma once

#include <cstdint>
#include <optional>

#include "core/detections.h"
#include "core/geometry.h"
#include "core/turning.h"
#include "detector/cnn/model/network_fit.h"

namespace facepipe::detector {

/// Pixels of the largest picture that is looked at in one run. Cameras of 12 megapixels make
/// pictures a little smaller than that.
inline constexpr std::int64_t kLargestUntiled = std::int64_t{12} << 20;

struct Tiling {
  int columns = 1;
  int rows = 1;
  int overlap = 0;   ///< of neighbours, at least; pixels
  NetworkFit tile;   ///< of each tile: its `frame` is the tile's size
  NetworkFit whole;  ///< of the whole picture

  [[nodiscard]] int count() const { return columns * rows; }

  /// Where a tile begins in the upright picture. Tiles are numbered row by row.
  [[nodiscard]] PixelPlace origin(int index) const;
  /// The first sample of the tile in the stored picture.
  [[nodiscard]] PixelPlace stored_origin(int index, Orientation orientation) const;

  /// Longest side of a face that lies in some tile wholly, wherever it is, and is kept.
  [[nodiscard]] int largest_face() const;

  /// The part of a tile, in its own pixels, in which boxes must lie wholly to be kept: one that
  /// reaches an edge where the picture goes on is that of a face cut off, which another tile or the
  /// reduced picture shows whole.
  [[nodiscard]] Box kept_area(int index) const;

  friend bool operator==(const Tiling&, const Tiling&) = default;
};

/// For an upright picture of a size in which fit_network() takes it; nullopt where it is not to be
/// tiled: up to kLargestUntiled, and where a size was chosen.
[[nodiscard]] std::optional<Tiling> tiling_for(Size picture,
                                               const std::optional<Size>& detect_size);

/// Appends the candidates of a tile, in its own pixels, that are kept, in pixels of the picture.
void append_kept(Detections& to, const Detections& of_tile, const Tiling& tiling, int index);

}  // namespace facepipe::detector
