// The suppression matrix of a thread block tells which of the candidates in its shared memory
// (columns) suppress the candidates that the block decides (rows).
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"
#include "nms/nms.h"

namespace facepipe::nms {

inline constexpr unsigned kMaxRows = 512;
inline constexpr unsigned kMaxRowWords = kMaxRows / 32;
static_assert(kMaxRowWords <= kWarps);  // each row word has its own warp
inline constexpr unsigned kMaxColumns = 4096 + 64;

/// Holds candidates in shared memory as a structure of arrays. If all candidates of a launch fit,
/// the entry of a candidate is its index. Otherwise only the block's rows and columns have entries.
/// An invalid candidate has an empty box and a key whose score is 0.
struct SharedCandidates {
  float4* boxes;
  std::uint64_t* keys;

  __device__ __forceinline__ void put(unsigned entry, float4 box, float score,
                                      unsigned index) const {
    const bool is_valid = valid(box, score);
    boxes[entry] = is_valid ? box : empty_box();
    keys[entry] = key_of(ordered_score(is_valid, score), index);
  }
};

/// Holds the columns of the matrix. `entry_of` has the entry of each column's candidate. The first
/// columns are the rows themselves, in the same order, padded with an empty entry to a multiple of
/// 32. Then follow the candidates of other blocks that may suppress a row.
struct MatrixColumns {
  SharedCandidates candidates;
  std::uint16_t* entry_of;

  [[nodiscard]] __device__ __forceinline__ float4 box(unsigned column) const {
    return candidates.boxes[entry_of[column]];
  }
  [[nodiscard]] __device__ __forceinline__ std::uint64_t key(unsigned column) const {
    return candidates.keys[entry_of[column]];
  }
  [[nodiscard]] __device__ __forceinline__ unsigned index(unsigned column) const {
    return index_of(key(column));
  }
};
inline constexpr unsigned kColumnBytes =
    sizeof(float4) + sizeof(std::uint64_t) + sizeof(std::uint16_t);

/// Holds the matrix as bits. Bit c of suppressors(w, r), in lane l, tells whether column 32 * w + c
/// suppresses row 32 * r + l. Columns are [0, column_end).
struct SuppressionMatrix {
  MatrixColumns columns;
  std::uint32_t* bits;
  unsigned rows, column_end;

  [[nodiscard]] __device__ unsigned row_words() const { return (rows + 31) / 32; }
  [[nodiscard]] __device__ unsigned stride() const { return 32 * row_words(); }
  [[nodiscard]] __device__ unsigned column_words() const { return (column_end + 31) / 32; }
  /// Returns which columns of a column word suppress the lane's row of a row word.
  [[nodiscard]] __device__ std::uint32_t& suppressors(unsigned column_word,
                                                      unsigned row_word) const {
    return bits[column_word * stride() + 32 * row_word + lane_id()];
  }
};

/// Compares a row with eight columns. Bit j of the result tells whether column `first` + j
/// suppresses the row. Bits of columns from `end` on are 0. Their entries are undefined, so their
/// comparisons are discarded.
template <class Overlap>
__device__ __forceinline__ unsigned compare_eight(const MatrixColumns& columns, unsigned row,
                                                  unsigned first, unsigned end, float threshold) {
  const Box loser = as_box(columns.box(row));
  const float loser_area = area(loser);
  const std::uint64_t loser_key = columns.key(row);
  const uint4 eight = *reinterpret_cast<const uint4*>(columns.entry_of + first);
  const unsigned pairs[4] = {eight.x, eight.y, eight.z, eight.w};
  unsigned suppressors = 0;
#pragma unroll
  for (unsigned j = 0; j < 8; ++j) {
    const unsigned entry = j % 2 == 0 ? pairs[j / 2] & 0xffffU : pairs[j / 2] >> 16;
    const Box winner = as_box(columns.candidates.boxes[entry]);
    const bool hit = Overlap::suppresses(winner, area(winner), loser, loser_area, threshold) &
                     (columns.candidates.keys[entry] > loser_key);
    suppressors |= static_cast<unsigned>(hit) << j;
  }
  return suppressors & ((1U << min(end - min(end, first), 8U)) - 1);
}

/// Computes the matrix. Bit c of bits[word * stride + row] tells whether column 32 * word + c
/// suppresses the row. octets[o] is the bounding box of the rows 8 o to 8 o + 7. If none of 32
/// columns overlaps this box, the eight rows are not compared with the 32 columns. The columns must
/// be padded to a multiple of 32 with the empty entry. Contains no barrier.
template <class Overlap>
__device__ __forceinline__ void compute_matrix(const MatrixColumns& columns, unsigned rows,
                                               unsigned stride, unsigned end, const float4* octets,
                                               float threshold, std::uint32_t* bits) {
  const unsigned octet_count = max(1U, (rows + 7) / 8);
  const unsigned words = (end + 31) / 32;
  auto* const as_bytes = reinterpret_cast<std::uint8_t*>(bits);
  unsigned word = warp_id() / octet_count;
  unsigned octet = warp_id() - word * octet_count;
  while (word < words) {  // a warp compares 32 columns with 8 rows at a time
    const unsigned row = 8 * octet + lane_id() % 8;
    const unsigned byte = lane_id() / 8;
    const unsigned first = 32 * word + 8 * byte;
    unsigned suppressors = 0;
    // If every warp has at most one such task, the test would only add to its latency.
    const bool meets =
        words * octet_count <= kWarps ||
        __any_sync(kAllLanes, overlap(columns.box(32 * word + lane_id()), octets[octet])) != 0;
    if (meets) suppressors = compare_eight<Overlap>(columns, row, first, end, threshold);
    as_bytes[(word * stride + row) * 4 + byte] = static_cast<std::uint8_t>(suppressors);
    for (octet += kWarps; octet >= octet_count; octet -= octet_count) ++word;
  }
}

}  // namespace facepipe::nms
