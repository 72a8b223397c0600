// The boxes that a CTA holds in shared memory, and the comparisons of its own with all of them.
#pragma once

#include <cstdint>

#include "nms/cuda/device.cuh"
#include "nms/nms.h"

namespace facepipe::nms {

/// Candidates in shared memory, each in a slot: all of them in the slot of their index where they
/// fit, else those that the CTA has to do with. One that is none has an empty box and a rank of 0.
struct Slots {
  float4* boxes;
  std::uint64_t* keys;

  __device__ __forceinline__ void put(unsigned slot, float4 box, float score,
                                      unsigned index) const {
    const bool good = valid(box, score);
    boxes[slot] = good ? box : empty_box();
    keys[slot] = key_of(rank_of(good, score), index);
  }
};

/// Columns [0, rows) are the CTA's own candidates, its rows, filled up to a multiple of 32 with an
/// empty slot; from there on stand the others that may suppress them.
struct Columns {
  Slots slots;
  std::uint16_t* slot_of;

  [[nodiscard]] __device__ __forceinline__ float4 box(unsigned column) const {
    return slots.boxes[slot_of[column]];
  }
  [[nodiscard]] __device__ __forceinline__ std::uint64_t key(unsigned column) const {
    return slots.keys[slot_of[column]];
  }
  [[nodiscard]] __device__ __forceinline__ unsigned index(unsigned column) const {
    return index_of(key(column));
  }
};
inline constexpr unsigned kBytesOfAColumn =
    sizeof(float4) + sizeof(std::uint64_t) + sizeof(std::uint16_t);

__device__ __forceinline__ std::uint32_t group_of(const View& view, unsigned index) {
  return view.groups != nullptr ? __ldg(view.groups + index) : 0;
}

/// Of the columns that suppress a row, those of its group.
__device__ __forceinline__ unsigned of_same_group(const Columns& columns, const View& view,
                                                  unsigned row, unsigned first,
                                                  unsigned suppressors) {
  const std::uint32_t group = group_of(view, columns.index(row));
  for (unsigned left = suppressors; left != 0; left &= left - 1) {
    const unsigned column = first + static_cast<unsigned>(__ffs(static_cast<int>(left))) - 1;
    if (group_of(view, columns.index(column)) != group) suppressors ^= left & (0U - left);
  }
  return suppressors;
}

/// Bit j: column `first` + j suppresses the row. Only columns below `end` are looked at; beyond
/// them stand slots of whatever there was.
template <class Overlap>
__device__ __forceinline__ unsigned eight_comparisons(const Columns& columns, unsigned row,
                                                      unsigned first, unsigned end,
                                                      float threshold) {
  const Box loser = as_box(columns.box(row));
  const float loser_area = area(loser);
  const std::uint64_t loser_key = columns.key(row);
  const uint4 eight = *reinterpret_cast<const uint4*>(columns.slot_of + first);
  const unsigned pairs[4] = {eight.x, eight.y, eight.z, eight.w};
  unsigned suppressors = 0;
#pragma unroll
  for (unsigned j = 0; j < 8; ++j) {
    const unsigned slot = j % 2 == 0 ? pairs[j / 2] & 0xffffU : pairs[j / 2] >> 16;
    const Box winner = as_box(columns.slots.boxes[slot]);
    const bool hit = Overlap::suppresses(winner, area(winner), loser, loser_area, threshold) &
                     (columns.slots.keys[slot] > loser_key);
    suppressors |= static_cast<unsigned>(hit) << j;
  }
  return suppressors & ((1U << min(end - min(end, first), 8U)) - 1);
}

/// Fills bits[word * stride + row] with whether column 32 * word + bit suppresses the row.
/// octets[o] bounds rows 8 o to 8 o + 7; without octets, all rows are compared with all columns.
/// The columns' list must be filled up to a multiple of 32. No barrier.
template <class Overlap>
__device__ __forceinline__ void compare(const Columns& columns, const View& view, unsigned rows,
                                        unsigned stride, unsigned end, const float4* octets,
                                        float threshold, std::uint32_t* bits) {
  const unsigned octet_count = max(1U, (rows + 7) / 8);
  const unsigned words = (end + 31) / 32;
  auto* const as_bytes = reinterpret_cast<std::uint8_t*>(bits);
  unsigned word = warp_id() / octet_count;
  unsigned octet = warp_id() - word * octet_count;
  while (word < words) {  // 32 columns with 8 rows at once
    const unsigned row = 8 * octet + lane_id() % 8;
    const unsigned byte = lane_id() / 8;
    const unsigned first = 32 * word + 8 * byte;
    unsigned suppressors = 0;
    // Few tasks run at once as it is, and their latency counts; only of many some are worth a test.
    const bool meets =
        octets == nullptr || words * octet_count <= kWarps ||
        __any_sync(kAllLanes, overlap(columns.box(32 * word + lane_id()), octets[octet])) != 0;
    if (meets) {
      suppressors = eight_comparisons<Overlap>(columns, row, first, end, threshold);
      if (view.groups != nullptr)
        suppressors = of_same_group(columns, view, row, first, suppressors);
    }
    as_bytes[(word * stride + row) * 4 + byte] = static_cast<std::uint8_t>(suppressors);
    for (octet += kWarps; octet >= octet_count; octet -= octet_count) ++word;
  }
}

}  // namespace facepipe::nms
