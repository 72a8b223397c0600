// Slides the window over a level, and finds the places where it passes all stages of a cascade.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "detector/cascade/cpu/tables.h"
#include "detector/cascade/levels.h"
#include "detector/cascade/model/cascade.h"

namespace facepipe::detector::cascade {

/// Refers to a level's picture, with one byte a pixel.
struct GreyPicture {
  const std::uint8_t* pixels = nullptr;
  std::ptrdiff_t stride = 0;  ///< bytes from row to row
  Size size;
};

/// Holds the position of the window's top left pixel, in pixels of the level.
struct Place {
  int x = 0;
  int y = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// Holds the memory of one thread that scans. It grows as needed and is reused.
struct ScanMemory {
  std::vector<float> sums;             ///< sums of grey levels, in the layout of TileLayout
  std::vector<std::uint32_t> squares;  ///< sums of squared grey levels, mod 2^32
  std::vector<float> inverses;         ///< 1 / deviation of each place of a tile, unscaled
  std::vector<std::uint64_t> skips;    ///< for each row: whether its next place is skipped
};

/// Finds exactly the windows that pass in OpenCV 4's CascadeClassifier. It also skips windows as
/// OpenCV does: if a window fails in the first stage, the next window in its row is skipped.
/// Immutable, hence thread-safe. Uses Highway's vectors for the processor at hand.
class Scanner {
 public:
  explicit Scanner(Cascade cascade);

  [[nodiscard]] const Cascade& cascade() const { return cascade_; }

  /// Number of rows of places that a thread should scan at once.
  static constexpr int kBandRows = 64;

  /// Scans `rows` rows of places, beginning with `first_row`. Appends the windows that pass, by
  /// row, then by column. `picture` is the level's picture; its size must be level.size.
  void scan(const Level& level, const GreyPicture& picture, int first_row, int rows,
            ScanMemory& memory, std::vector<Place>& passed) const;

 private:
  Cascade cascade_;
  Tables dense_;   ///< tables for steps of 1 pixel
  Tables sparse_;  ///< tables for steps of 2 pixels
};

}  // namespace facepipe::detector::cascade
