// The scanner slides the window over a level, and tells at which places it passes all stages of a
// cascade.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "detector/cascade/cpu/tables.h"
#include "detector/cascade/levels.h"
#include "detector/cascade/model/cascade.h"

namespace facepipe::detector::cascade {

/// A view of a level's picture, one byte a pixel.
struct GreyPicture {
  const std::uint8_t* pixels = nullptr;
  std::ptrdiff_t stride = 0;  ///< bytes from row to row
  Size size;
};

/// The top left pixel of the window, in pixels of the level.
struct Place {
  int x = 0;
  int y = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// Memory that one thread needs to scan. It grows as needed and is reused.
struct ScanMemory {
  std::vector<float> sums;             ///< sums of grey levels, in the layout of TileLayout
  std::vector<std::uint32_t> squares;  ///< sums of squared grey levels, mod 2^32
  std::vector<float> inverses;         ///< 1 / deviation of each place of a tile, unscaled
  std::vector<std::uint64_t> skips;    ///< for each row: whether its next place is left out
};

/// Immutable, hence thread-safe. Exactly the windows pass that pass in OpenCV 4's
/// CascadeClassifier. The skipping is also OpenCV's: if a window fails in the first stage, the next
/// one in its row is left out. It uses Highway's vectors for the processor at hand.
class Scanner {
 public:
  explicit Scanner(Cascade cascade);

  [[nodiscard]] const Cascade& cascade() const { return cascade_; }

  /// Rows of places that a thread best scans at once.
  static constexpr int kBandRows = 64;

  /// Scans `rows` rows of places, from `first_row` on, and appends the windows that pass, by row,
  /// then by column. `picture` is the level's picture and has the size level.size.
  void scan(const Level& level, const GreyPicture& picture, int first_row, int rows,
            ScanMemory& memory, std::vector<Place>& passed) const;

 private:
  Cascade cascade_;
  Tables dense_;   ///< tables for steps of 1 pixel
  Tables sparse_;  ///< tables for steps of 2 pixels
};

}  // namespace facepipe::detector::cascade
