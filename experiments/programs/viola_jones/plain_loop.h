// The serial reference: all windows of all scales in plain loops, one after the other. What the
// variants on a GPU have to find, and how much work each scale is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "experiments/programs/viola_jones/found_window.h"
#include "experiments/programs/viola_jones/scales.h"
#include "experiments/programs/viola_jones/stumps.h"

namespace facepipe::viola_jones {

struct ScaleResult {
  std::vector<FoundWindow> windows;      ///< by row, then by column
  std::uint64_t stumps = 0;              ///< evaluated
  std::vector<std::uint64_t> survivors;  ///< windows that pass each stage
};

/// Grey levels, row by row without gaps, and the sums over all pixels above and left of a corner.
class SummedPicture {
 public:
  SummedPicture(std::span<const std::uint8_t> pixels, Size size);

  [[nodiscard]] Size size() const { return size_; }
  /// Of the grey levels in `edges` of the window at (x, y), and of their squares.
  [[nodiscard]] std::int64_t sum(int x, int y, const Edges& edges) const {
    return difference(sums_, x, y, edges);
  }
  [[nodiscard]] std::int64_t squares(int x, int y, const Edges& edges) const {
    return difference(squares_, x, y, edges);
  }

 private:
  [[nodiscard]] std::int64_t difference(const std::vector<std::int64_t>& sums, int x, int y,
                                        const Edges& edges) const;

  Size size_;
  std::vector<std::int64_t> sums_;
  std::vector<std::int64_t> squares_;
};

/// `index` is what the windows name as their scale.
[[nodiscard]] ScaleResult scan_scale(const SummedPicture& picture, const ScaledCascade& cascade,
                                     const Scale& scale, std::size_t index);

/// Of all scales, in their order.
[[nodiscard]] std::vector<ScaleResult> scan(const SummedPicture& picture,
                                            const detector::cascade::Cascade& cascade,
                                            const std::vector<Scale>& scales);

/// All their windows, sorted: by scale, x, y.
[[nodiscard]] std::vector<FoundWindow> windows_of(const std::vector<ScaleResult>& results);

}  // namespace facepipe::viola_jones
