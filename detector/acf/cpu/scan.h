// The scanner slides the window over the cells of a scale, and tells at which places no tree
// rejects it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "detector/acf/cpu/planes.h"
#include "detector/acf/model/acf.h"

namespace facepipe::detector::acf {

/// The window's first cell, in padded cells of the scale, and the sum of the window's leaves.
struct Place {
  int column = 0;
  int row = 0;
  std::int32_t sum = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// A tree as it is walked over planes of one size.
struct PlacedTree {
  /// distances of the cells from the window's first one, in floats
  std::array<std::int32_t, 3> offsets{};
  std::array<float, 3> thresholds{};
  std::array<std::int32_t, 4> leaves{};
};

struct Limits {
  std::int32_t threshold = 0;  ///< the model's: a window whose sum so far is this or less is out
  std::int32_t least_sum = 0;  ///< a window whose sum of all leaves is less doesn't pass
};

/// Immutable, hence thread-safe. It uses Highway's vectors for the processor at hand.
class Scanner {
 public:
  /// `padded` is the planes' size in cells; Planes defines their layout. A window passes if no tree
  /// rejects it and if its sum is at least `least_sum`.
  Scanner(const Model& model, Size padded, std::int32_t least_sum);

  /// Rows of places that a thread best scans at once.
  static constexpr int kBandRows = 16;

  /// Scans `rows` rows of places, from `first_row` on, and appends the windows that pass, by row,
  /// then by column. A window is out as soon as its sum of leaves so far is the model's threshold
  /// or less.
  void scan(const Planes& cells, int first_row, int rows, std::vector<Place>& passed) const;

  [[nodiscard]] Size places() const { return places_; }

 private:
  Size places_;
  Limits limits_;
  std::vector<PlacedTree> trees_;
};

}  // namespace facepipe::detector::acf
