// Divides pictures that are too large for one run of the network into tiles that overlap. The
// network runs on each tile, and once on the whole picture, reduced.
//
// The tiling depends only on the picture's size, never on the device or its memory. So all devices
// find the same faces. Both axes are divided in the same way. Tiles begin at multiples of 32, and
// their sides differ from the picture's sides by multiples of 32. So the network's strides fall on
// the same pixels as in the whole picture, and no sample of chroma is divided between two tiles.
// This is so for all orientations of the stored picture. The overlap is large enough for the
// smallest face that the reduced picture shows well. So each face lies wholly in a tile, or is
// large enough for the reduced picture.
#pragma once

#include <cstdint>
#include <optional>

#include "core/detections.h"
#include "core/geometry.h"
#include "core/turning.h"
#include "detector/network_fit.h"

namespace facepipe::detector {

/// A picture with up to this many pixels is not tiled. Pictures of cameras with 12 megapixels are
/// slightly smaller.
inline constexpr std::int64_t kLargestUntiled = std::int64_t{12} << 20;

struct Tiling {
  int columns = 1;
  int rows = 1;
  int overlap = 0;   ///< least overlap of neighbours, in pixels
  NetworkFit tile;   ///< fit of each tile: its `frame` is the tile's size
  NetworkFit whole;  ///< fit of the whole picture

  [[nodiscard]] int count() const { return columns * rows; }

  /// Returns where a tile begins in the upright picture. Tiles are numbered row by row.
  [[nodiscard]] PixelPlace origin(int index) const;
  /// Returns the first sample of the tile in the stored picture.
  [[nodiscard]] PixelPlace stored_origin(int index, Orientation orientation) const;

  /// Returns the longest side of a face for which some tile shows the whole face and keeps its box,
  /// wherever the face is.
  [[nodiscard]] int largest_face() const;

  /// Returns a part of a tile, in the tile's pixels. A box is kept only if it lies wholly in this
  /// part. If a box reaches an edge of the tile where the picture continues, its face may be
  /// incomplete in this tile. Another tile or the reduced picture shows this face completely.
  [[nodiscard]] Box kept_area(int index) const;

  friend bool operator==(const Tiling&, const Tiling&) = default;
};

/// Returns the tiling of an upright picture, whose size must be one that fit_network() accepts.
/// Returns nullopt if the picture is not tiled: if it has at most kLargestUntiled pixels, or if the
/// user chose a size. `multiple` has the same meaning as in fit_network().
[[nodiscard]] std::optional<Tiling> tiling_for(Size picture, const std::optional<Size>& detect_size,
                                               int multiple = kUsualMultiple);

/// Appends the candidates of a tile that are kept. `of_tile` is in the tile's own pixels, `to` in
/// pixels of the picture.
void append_kept(Detections& to, const Detections& of_tile, const Tiling& tiling, int index);

}  // namespace facepipe::detector
