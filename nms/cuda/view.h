// Candidates in device memory as kernels see them.
#pragma once

#include <vector_types.h>

#include <cstdint>

namespace facepipe::nms {

struct View {
  const float4* boxes;  ///< x1 y1 x2 y2: a box is one aligned load
  const float* scores;
  const std::uint32_t* groups;  ///< may be null
  const std::uint32_t* count;
  std::uint32_t capacity;
};

}  // namespace facepipe::nms
