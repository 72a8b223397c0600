// Slides the window over the cells of a scale, and finds the places where no tree rejects it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "detector/acf/cpu/planes.h"
#include "detector/acf/model/acf.h"

namespace facepipe::detector::acf {

/// Describes a window: its first cell, in padded cells of the scale, and the sum of its leaves.
struct Place {
  int column = 0;
  int row = 0;
  std::int32_t sum = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// Describes a tree for planes of a certain size.
struct PlacedTree {
  /// distances of the cells from the window's first cell, in floats
  std::array<std::int32_t, 3> offsets{};
  std::array<float, 3> thresholds{};
  std::array<std::int32_t, 4> leaves{};
};

struct Limits {
  std::int32_t threshold = 0;  ///< rejects a window whose sum so far is this or less
  std::int32_t least_sum = 0;  ///< rejects a window whose sum of all leaves is less
};

/// Scans scales of one size. Immutable, hence thread-safe. Uses Highway's vectors for the processor
/// at hand.
class Scanner {
 public:
  /// `padded` is the size of the planes in cells; Planes defines their layout. A window passes if
  /// no tree rejects it and its sum is at least `least_sum`.
  Scanner(const Model& model, Size padded, std::int32_t least_sum);

  /// Number of rows of places that a thread should scan at once.
  static constexpr int kBandRows = 16;

  /// Scans `rows` rows of places, beginning with `first_row`. Appends the windows that pass,
  /// ordered by row, then by column. A window is rejected as soon as its sum of leaves so far is
  /// the model's threshold or less.
  void scan(const Planes& cells, int first_row, int rows, std::vector<Place>& passed) const;

  [[nodiscard]] Size places() const { return places_; }

 private:
  Size places_;
  Limits limits_;
  std::vector<PlacedTree> trees_;
};

}  // namespace facepipe::detector::acf
