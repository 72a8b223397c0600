// Describes candidates in device memory for kernels.
#pragma once

#include <vector_types.h>

#include <cstdint>

namespace facepipe::nms {

/// Refers to the candidates of a DeviceCandidates. Kernels read only the first min(*count,
/// capacity) candidates.
struct CandidateView {
  const float4* boxes;  ///< x1, y1, x2, y2; one aligned load reads all four
  const float* scores;
  const std::uint32_t* count;
  std::uint32_t capacity;
};

}  // namespace facepipe::nms
