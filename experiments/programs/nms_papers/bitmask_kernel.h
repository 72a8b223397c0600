// The kernel that BitmaskNms uses.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/geometry.h"

namespace facepipe::nms_papers {

inline constexpr unsigned kBitmaskTile = 64;  ///< rows and columns of a tile

/// Returns the number of words in a row of the mask. A word has 64 columns.
constexpr std::size_t words_of(std::size_t count) {
  return (count + kBitmaskTile - 1) / kBitmaskTile;
}

/// Five floats, like a row of the original.
struct RankedBox {
  Box box;
  float score;
};

struct BitmaskArguments {
  std::uint32_t n;
  float threshold;
  const RankedBox* ranked;  ///< n boxes
  std::uint64_t* mask;      ///< n rows of words_of(n) words
};

/// Bit c of mask[row][word] says that column 64 * word + c overlaps the row by more than the
/// threshold.
void launch_bitmask(const BitmaskArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::nms_papers
