// Packs weights in the order in which the lanes of a warp hold them as operand B of the tensor
// cores. k is the index of a product's sum.
#pragma once

#include <cuda_fp16.h>

#include <cstddef>
#include <vector>

namespace facepipe::detector::engine {

/// Says how the 16 columns of a pair are assigned to its two tiles of 8 columns. Lane 4g + t holds
/// column g of a tile of operand B, and columns 2t and 2t + 1 of the result.
enum class ColumnOrder {
  tiles,  ///< column g of tile n is column 8n + g of the pair
  quads,  ///< column 2t + e of tile n is column 4t + 2n + e of the pair; so a lane's results are
          ///< four neighbouring columns
};

/// Packs fragments of a matrix with k < `steps` * 16 and `pairs` * 16 columns, one pair after the
/// other. In each step, lane 4g + t has four words. Two words have k = 2t, 2t + 1 and k = 2t + 8,
/// 2t + 9 for column g of the first tile. The other two have the same k for the second tile. Calls
/// value(k, column) for each element.
template <class Value>
[[nodiscard]] std::vector<__half> pack_fragments(int pairs, int steps, ColumnOrder order,
                                                 const Value& value) {
  std::vector<__half> halves;
  halves.reserve(static_cast<std::size_t>(pairs * steps) * 32 * 8);
  for (int pair = 0; pair < pairs; ++pair)
    for (int step = 0; step < steps; ++step)
      for (int lane = 0; lane < 32; ++lane)
        for (int tile = 0; tile < 2; ++tile)
          for (int i = 0; i < 4; ++i) {
            const int g = lane / 4;
            const int column =
                order == ColumnOrder::tiles ? 8 * tile + g : 4 * (g / 2) + 2 * tile + g % 2;
            const int k = 2 * (lane % 4) + i % 2 + i / 2 * 8;
            halves.push_back(__float2half_rn(value(16 * step + k, 16 * pair + column)));
          }
  return halves;
}

/// Appends fragments of a matrix with `tiles` * 8 columns and k < `channels`, which must be a
/// multiple of 8. The order of the fragments is steps of 16 k x tiles x lanes. This is for kernels
/// in which a lane reads four neighbouring channels. In a step, lane 4g + t has two words of column
/// g: k = 4t, 4t + 1 and k = 4t + 2, 4t + 3. If the last step has only 8 k, the lane has k = 2t, 2t
/// + 1 and a word of zeros.
template <class Value>
void pack_channels(std::vector<__half>& halves, int channels, int tiles, const Value& value) {
  for (int first = 0; first < channels; first += 16)
    for (int tile = 0; tile < tiles; ++tile)
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 4; ++i) {
          const int t = lane % 4;
          const bool whole = first + 8 < channels;
          const int k = whole ? 4 * t + i : 2 * t + i;
          const bool any = whole || i < 2;
          halves.push_back(__float2half_rn(any ? value(first + k, 8 * tile + lane / 4) : 0.0F));
        }
}

}  // namespace facepipe::detector::engine
