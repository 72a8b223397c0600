// The lanes of a warp together.
#pragma once

namespace facepipe::cascade {

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = ~0U;

/// The sum of `value` over the lanes before this one.
template <typename T>
__device__ T sum_of_lanes_before(T value) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  T sum = value;
  for (int distance = 1; distance < kLanes; distance *= 2) {
    const T other = __shfl_up_sync(kAllLanes, sum, distance);
    if (lane >= distance) sum += other;
  }
  return sum - value;
}

/// Over all lanes, for each of them.
template <typename T>
__device__ T sum_of_lanes(T value) {
  for (int distance = 1; distance < kLanes; distance *= 2)
    value += __shfl_xor_sync(kAllLanes, value, distance);
  return value;
}

}  // namespace facepipe::cascade
