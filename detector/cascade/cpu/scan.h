// The window's way over a level: which of its places pass all stages of a cascade.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "detector/cascade/cpu/tables.h"
#include "detector/cascade/levels.h"
#include "detector/cascade/model/cascade.h"

namespace facepipe::detector::cascade {

/// A level's picture, one byte a pixel. A view.
struct GreyPicture {
  const std::uint8_t* pixels = nullptr;
  std::ptrdiff_t stride = 0;  ///< bytes from row to row
  Size size;
};

/// The window's top left pixel, in pixels of the level.
struct Place {
  int x = 0;
  int y = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// What one thread needs to scan; grows as needed, and is used again.
struct ScanMemory {
  std::vector<float> sums;             ///< of grey levels, as TileLayout
  std::vector<std::uint32_t> squares;  ///< of their squares, mod 2^32
  std::vector<float> inverses;         ///< 1 / deviation of each place of a tile, unscaled
  std::vector<std::uint64_t> skips;    ///< for each row, whether its next place is left out
};

/// Immutable, hence thread-safe. Exactly the windows of OpenCV 4's CascadeClassifier pass, with
/// which it shares the skipping: after a window that fails in the first stage the next one in its
/// row is left out. By Highway's vectors, whatever the processor has.
class Scanner {
 public:
  explicit Scanner(Cascade cascade);

  [[nodiscard]] const Cascade& cascade() const { return cascade_; }

  /// Rows of places that are best scanned at once.
  static constexpr int kBandRows = 64;

  /// Appends what passes of `rows` rows of places, from `first_row` on: by row, then by column.
  /// `picture` is the level's, of level.size.
  void scan(const Level& level, const GreyPicture& picture, int first_row, int rows,
            ScanMemory& memory, std::vector<Place>& passed) const;

 private:
  Cascade cascade_;
  Tables dense_;   ///< for steps of 1 pixel
  Tables sparse_;  ///< for steps of 2 pixels
};

}  // namespace facepipe::detector::cascade
