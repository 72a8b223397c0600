// Weights in the order in which the lanes of a warp hold them as an operand of the tensor core.
#pragma once

#include <cuda_fp16.h>

#include <cstddef>
#include <vector>

namespace facepipe::engine {

/// Which column of a matrix (16 columns a pair) stands where in the pair's two tiles of 8.
enum class ColumnOrder {
  tiles,  ///< column 8n + g in tile n
  quads,  ///< so that a lane's results are four neighbours: 4t + 2n + e is column 2t + e of tile n
};

/// Fragments of a matrix of `steps` * 16 sums by `pairs` * 16 columns, one pair after the other: a
/// lane's four words of a step are the sums 2t, 2t + 1 and 2t + 8, 2t + 9 of column g of the first
/// tile, then of the second (lane = 4g + t). `value(sum, column)` is asked for all of them.
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
            const int sum = 2 * (lane % 4) + i % 2 + i / 2 * 8;
            halves.push_back(__float2half_rn(value(16 * step + sum, 16 * pair + column)));
          }
  return halves;
}

/// Appends fragments of a matrix of `channels` sums, a multiple of 8, by `tiles` * 8 columns: steps
/// of 16 sums x tiles x lanes. A lane reads four channels in a row, so its words are the sums 4t,
/// 4t + 1 and 4t + 2, 4t + 3 of column g (lane = 4g + t); of a last step of 8, 2t, 2t + 1 and none.
template <class Value>
void pack_channels(std::vector<__half>& halves, int channels, int tiles, const Value& value) {
  for (int first = 0; first < channels; first += 16)
    for (int tile = 0; tile < tiles; ++tile)
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 4; ++i) {
          const int t = lane % 4;
          const bool whole = first + 8 < channels;
          const int sum = whole ? 4 * t + i : 2 * t + i;
          const bool any = whole || i < 2;
          halves.push_back(__float2half_rn(any ? value(first + sum, 8 * tile + lane / 4) : 0.0F));
        }
}

}  // namespace facepipe::engine
