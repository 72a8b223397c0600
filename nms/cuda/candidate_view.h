// Candidates in device memory, as kernels get them.
#pragma once

#include <vector_types.h>

#include <cstdint>

namespace facepipe::nms {

/// See DeviceCandidates. Only the first min(*count, capacity) candidates are looked at.
struct CandidateView {
  const float4* boxes;  ///< x1, y1, x2, y2 in one aligned load
  const float* scores;
  const std::uint32_t* count;
  std::uint32_t capacity;
};

}  // namespace facepipe::nms
