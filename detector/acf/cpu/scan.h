// The window's way over the cells of a scale: which of its places no tree rejects.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "detector/acf/cpu/planes.h"
#include "detector/acf/model/acf.h"

namespace facepipe::detector::acf {

/// The window's first cell, in padded cells of the scale, and the sum of its leaves.
struct Place {
  int column = 0;
  int row = 0;
  std::int32_t sum = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// Trees as they are walked over planes of one size.
struct PlacedTree {
  std::array<std::int32_t, 3> offsets{};  ///< of the cells from the window's first one
  std::array<float, 3> thresholds{};
  std::array<std::int32_t, 4> leaves{};
};

struct Limits {
  std::int32_t threshold = 0;  ///< the model's: a sum so far of this or less is out
  std::int32_t least_sum = 0;  ///< of all leaves
};

/// Immutable, hence thread-safe. By Highway's vectors, whatever the processor has.
class Scanner {
 public:
  /// For planes of `padded` cells as Planes has them. Of the windows that no tree rejects, those
  /// with a sum of at least `least_sum` pass.
  Scanner(const Model& model, Size padded, std::int32_t least_sum);

  /// Rows of places that are best scanned at once.
  static constexpr int kBandRows = 16;

  /// Appends what passes of `rows` rows of places, from `first_row` on: by row, then by column. A
  /// window is out as soon as the sum of the leaves so far is the model's threshold or less.
  void scan(const Planes& cells, int first_row, int rows, std::vector<Place>& passed) const;

  [[nodiscard]] Size places() const { return places_; }

 private:
  Size places_;
  Limits limits_;
  std::vector<PlacedTree> trees_;
};

}  // namespace facepipe::detector::acf
