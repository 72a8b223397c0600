#include "detector/cascade/grey_table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace facepipe::detector::cascade {

std::vector<std::uint8_t> grey_table(int bits, bool full_range) {
  const int values = 1 << bits;
  const double black = full_range ? 0 : 16 << (bits - 8);
  const double white = full_range ? values - 1 : 235 << (bits - 8);
  std::vector<std::uint8_t> table(static_cast<std::size_t>(values));
  for (int value = 0; value < values; ++value) {
    const double grey = std::rint((value - black) * 255 / (white - black));
    table[static_cast<std::size_t>(value)] =
        static_cast<std::uint8_t>(std::clamp(grey, 0.0, 255.0));
  }
  return table;
}

}  // namespace facepipe::detector::cascade
