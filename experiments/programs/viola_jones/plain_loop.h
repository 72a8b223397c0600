// The serial reference: plain loops over all windows of all scales, one after the other. It
// determines which windows the variants on a GPU must find, and how much work each scale needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "experiments/programs/viola_jones/found_window.h"
#include "experiments/programs/viola_jones/scales.h"
#include "experiments/programs/viola_jones/stumps.h"

namespace facepipe::viola_jones {

struct ScaleResult {
  std::vector<FoundWindow> windows;      ///< sorted by row, then by column
  std::uint64_t stumps = 0;              ///< number of evaluated stumps
  std::vector<std::uint64_t> survivors;  ///< number of windows that pass each stage
};

/// Holds grey levels, row by row without gaps, and the sums over all pixels above and to the left
/// of each corner.
class SummedPicture {
 public:
  SummedPicture(std::span<const std::uint8_t> pixels, Size size);

  [[nodiscard]] Size size() const { return size_; }
  /// Returns the sum of the grey levels, or of their squares, within `edges` of the window at (x,
  /// y).
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

/// Scans one scale. The windows get `index` as their scale.
[[nodiscard]] ScaleResult scan_scale(const SummedPicture& picture, const ScaledCascade& cascade,
                                     const Scale& scale, std::size_t index);

/// Returns the results of all scales, in their order.
[[nodiscard]] std::vector<ScaleResult> scan(const SummedPicture& picture,
                                            const detector::cascade::Cascade& cascade,
                                            const std::vector<Scale>& scales);

/// Returns all windows, sorted by scale, x, y.
[[nodiscard]] std::vector<FoundWindow> windows_of(const std::vector<ScaleResult>& results);

}  // namespace facepipe::viola_jones
