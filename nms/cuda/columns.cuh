// The boxes that a CTA holds in shared memory, and the comparisons of its own with all of them.
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"

namespace facepipe::nms {

/// Columns [0, rows) are the CTA's own candidates, its rows, filled up to a multiple of 32 with
/// empty boxes; from there on stand the others that may suppress them.
struct Columns {
  float4* boxes;
  std::uint64_t* keys;
  float* areas;
  std::uint32_t* groups;  ///< null without groups

  __device__ void put(unsigned at, float4 box, std::uint64_t key, std::uint32_t group) const {
    boxes[at] = box;
    keys[at] = key;
    areas[at] = area(as_box(box));
    if (groups != nullptr) groups[at] = group;
  }
  __device__ void put_empty(unsigned at) const { put(at, empty_box(), 0, 0); }
};

__device__ __forceinline__ std::uint32_t group_of(const View& view, unsigned index) {
  return view.groups != nullptr ? __ldg(view.groups + index) : 0;
}

/// Candidate `index`, which may be invalid: then it is an empty box that knows its index.
__device__ __forceinline__ void put_candidate(const Columns& columns, unsigned at, const View& view,
                                              unsigned index) {
  const float4 box = __ldg(view.boxes + index);
  const float score = __ldg(view.scores + index);
  if (valid(box, score))
    columns.put(at, box, key_of(score, index), group_of(view, index));
  else
    columns.put(at, empty_box(), invalid_key(index), 0);
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
  std::uint64_t key;
  std::uint32_t group;
};

__device__ __forceinline__ Row row_at(const Columns& columns, unsigned at) {
  return {columns.boxes[at], columns.areas[at], columns.keys[at],
          columns.groups != nullptr ? columns.groups[at] : 0};
}

/// Bit j: column `first` + j suppresses the row. Only columns below `end` are looked at.
template <class Overlap>
__device__ __forceinline__ unsigned eight_comparisons(const Columns& columns, const Row& row,
                                                      unsigned first, unsigned end,
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
    const bool same_group = columns.groups == nullptr || columns.groups[column] == row.group;
    if (columns.keys[column] > row.key && same_group) suppressors |= hits & (0U - hits);
  }
  return suppressors;
}

/// Fills bits[word * rows + row] with whether column 32 * word + bit suppresses the row; rows is a
/// multiple of 32, and bounds[g] holds rows 32 g to 32 g + 31. No barrier.
template <class Overlap>
__device__ void compare(const Columns& columns, unsigned rows, unsigned end, const float4* bounds,
                        float threshold, std::uint32_t* bits) {
  const unsigned groups = rows / 32;
  const unsigned tasks = (end + 31) / 32 * 4 * groups;  // eight columns with 32 rows each
  auto* const as_bytes = reinterpret_cast<std::uint8_t*>(bits);
  for (unsigned task = warp_id(); task < tasks; task += kWarps) {
    const unsigned byte = task / groups;
    const unsigned group = task - byte * groups;
    const unsigned first = 8 * byte;
    const unsigned at = 32 * group + lane_id();
    unsigned suppressors = 0;
    if (__any_sync(kAllLanes, overlap(columns.boxes[first + lane_id() % 8], bounds[group])))
      suppressors = eight_comparisons<Overlap>(columns, row_at(columns, at), first, end, threshold);
    as_bytes[((byte / 4) * rows + at) * 4 + byte % 4] = static_cast<std::uint8_t>(suppressors);
  }
}

}  // namespace facepipe::nms
