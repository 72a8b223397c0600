// The boxes that a CTA holds in shared memory, and the comparisons of its own with all of them.
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"
#include "nms/nms.h"

namespace facepipe::nms {

/// Columns [0, rows) are the CTA's own candidates, its rows, filled up to a multiple of 32 with
/// empty boxes; from there on stand the others that may suppress them.
struct Columns {
  float4* boxes;
  float* areas;
  std::uint32_t* ranks;
  std::uint16_t* indices;

  __device__ void put(unsigned at, float4 box, std::uint32_t rank, unsigned index) const {
    boxes[at] = box;
    areas[at] = area(as_box(box));
    ranks[at] = rank;
    indices[at] = static_cast<std::uint16_t>(index);
  }
  __device__ void put_empty(unsigned at) const { put(at, empty_box(), 0, 0); }
  [[nodiscard]] __device__ std::uint64_t key(unsigned at) const {
    return key_of(ranks[at], indices[at]);
  }
};
static_assert(kMaxNmsCapacity <= 65536);
inline constexpr unsigned kBytesOfAColumn =
    sizeof(float4) + sizeof(float) + sizeof(std::uint32_t) + sizeof(std::uint16_t);

__device__ __forceinline__ std::uint32_t group_of(const View& view, unsigned index) {
  return view.groups != nullptr ? __ldg(view.groups + index) : 0;
}

// Measures of overlap: whether a column that outranks a row suppresses it.
struct IouOverlap {
  static __device__ __forceinline__ bool suppresses(const Box& winner, float winner_area,
                                                    const Box& loser, float loser_area,
                                                    float threshold) {
    return iou_exceeds(intersection(winner, loser), winner_area, loser_area, threshold);
  }
};
struct DiouOverlap {
  static __device__ __forceinline__ bool suppresses(const Box& winner, float winner_area,
                                                    const Box& loser, float loser_area,
                                                    float threshold) {
    const float inter = intersection(winner, loser);
    return diou_exceeds(winner, loser, inter, winner_area, loser_area, threshold);
  }
};
struct WinnerAreaOverlap {
  static __device__ __forceinline__ bool suppresses(const Box& winner, float winner_area,
                                                    const Box& loser, float, float threshold) {
    return winner_share_exceeds(intersection(winner, loser), winner_area, threshold);
  }
};

struct Row {
  float4 box;
  float area;
  std::uint32_t rank;
  unsigned index;
};

__device__ __forceinline__ Row row_at(const Columns& columns, unsigned at) {
  return {columns.boxes[at], columns.areas[at], columns.ranks[at], columns.indices[at]};
}

/// Whether the column outranks the row, and is of its group.
__device__ __forceinline__ bool may_suppress(const Columns& columns, const View& view, unsigned column,
                                             const Row& row) {
  const std::uint32_t rank = columns.ranks[column];
  const unsigned index = columns.indices[column];
  if (rank < row.rank || (rank == row.rank && index >= row.index)) return false;
  return view.groups == nullptr || group_of(view, index) == group_of(view, row.index);
}

/// Bit j: column `first` + j suppresses the row. Only columns below `end` are looked at.
template <class Overlap>
__device__ __forceinline__ unsigned eight_comparisons(const Columns& columns, const View& view,
                                                      const Row& row, unsigned first, unsigned end,
                                                      float threshold) {
  unsigned hits = 0;
#pragma unroll
  for (unsigned j = 0; j < 8; ++j) {
    // Beyond the end stands whatever stood there; the mask below takes it out.
    const bool hit = Overlap::suppresses(as_box(columns.boxes[first + j]), columns.areas[first + j],
                                         as_box(row.box), row.area, threshold);
    hits |= static_cast<unsigned>(hit) << j;
  }
  hits &= (1U << min(end - min(end, first), 8U)) - 1;
  // Who outranks whom is asked only where boxes overlap, which is seldom.
  unsigned suppressors = 0;
  for (; hits != 0; hits &= hits - 1) {
    const unsigned column = first + __ffs(static_cast<int>(hits)) - 1;
    if (may_suppress(columns, view, column, row)) suppressors |= hits & (0U - hits);
  }
  return suppressors;
}

/// Fills bits[word * stride + row] with whether column 32 * word + bit suppresses the row. octets[o]
/// bounds rows 8 o to 8 o + 7. No barrier.
template <class Overlap>
__device__ void compare(const Columns& columns, const View& view, unsigned rows, unsigned stride,
                        unsigned end, const float4* octets, float threshold, std::uint32_t* bits) {
  const unsigned octet_count = (rows + 7) / 8;
  const unsigned tasks = (end + 31) / 32 * octet_count;  // 32 columns with 8 rows each
  auto* const as_bytes = reinterpret_cast<std::uint8_t*>(bits);
  for (unsigned task = warp_id(); task < tasks; task += kWarps) {
    const unsigned word = task / octet_count;
    const unsigned octet = task - word * octet_count;
    const unsigned row = 8 * octet + lane_id() % 8;
    const unsigned byte = lane_id() / 8;
    unsigned suppressors = 0;
    if (__any_sync(kAllLanes, overlap(columns.boxes[32 * word + lane_id()], octets[octet])))
      suppressors = eight_comparisons<Overlap>(columns, view, row_at(columns, row),
                                               32 * word + 8 * byte, end, threshold);
    as_bytes[(word * stride + row) * 4 + byte] = static_cast<std::uint8_t>(suppressors);
  }
}

}  // namespace facepipe::nms
