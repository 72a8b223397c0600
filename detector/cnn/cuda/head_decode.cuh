// Kernels use this to decode the network's outputs for a cell into a candidate.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detector/cnn/cuda/head_arguments.h"
#include "detector/cnn/cuda/operators/activation.cuh"

namespace facepipe::detector::engine {

__device__ __forceinline__ float at(const HeadTensor& tensor, std::uint32_t cell, int channel) {
  // The read-only cache is not used, because the calling kernel itself may have written the value.
  const float value = tensor.values[static_cast<std::size_t>(cell) * tensor.pitch + channel];
  return activated(value, tensor.pending);
}

struct Candidate {
  Box box;
  Landmarks points;
};

__device__ __forceinline__ float* raw(Landmarks& points) {
  return reinterpret_cast<float*>(&points);
}

/// See detector/cnn/model/centerface.cpp.
struct Centerface {
  static __device__ float score(const Level& level, std::uint32_t cell) {
    return at(level.tensors[0], cell, 0);
  }
  static __device__ Candidate decode(const Level& level, std::uint32_t cell, float row,
                                     float column) {
    const HeadTensor& scale = level.tensors[1];
    const HeadTensor& offset = level.tensors[2];
    const float height = expf(at(scale, cell, 0)) * level.stride;
    const float width = expf(at(scale, cell, 1)) * level.stride;
    const float y = (row + at(offset, cell, 0) + 0.5F) * level.stride;
    const float x = (column + at(offset, cell, 1) + 0.5F) * level.stride;
    Candidate result;
    result.box = {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
    for (int i = 0; i < 5; ++i) {
      raw(result.points)[2 * i] =
          at(level.tensors[3], cell, 2 * i + 1) * (result.box.x2 - result.box.x1) + result.box.x1;
      raw(result.points)[2 * i + 1] =
          at(level.tensors[3], cell, 2 * i) * (result.box.y2 - result.box.y1) + result.box.y1;
    }
    return result;
  }
};

/// See detector/cnn/model/yunet.cpp.
struct Yunet {
  static __device__ float score(const Level& level, std::uint32_t cell) {
    const auto clamped = [&](int tensor) {
      const float value = at(level.tensors[tensor], cell, 0);
      return value < 0 ? 0 : value > 1 ? 1 : value;  // NaN stays NaN
    };
    return sqrtf(clamped(0) * clamped(1));
  }
  static __device__ Candidate decode(const Level& level, std::uint32_t cell, float row,
                                     float column) {
    const HeadTensor& box = level.tensors[2];
    const float x = (column + at(box, cell, 0)) * level.stride;
    const float y = (row + at(box, cell, 1)) * level.stride;
    const float width = expf(at(box, cell, 2)) * level.stride;
    const float height = expf(at(box, cell, 3)) * level.stride;
    Candidate result;
    result.box = {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
    for (int i = 0; i < 5; ++i) {
      raw(result.points)[2 * i] = (column + at(level.tensors[3], cell, 2 * i)) * level.stride;
      raw(result.points)[2 * i + 1] = (row + at(level.tensors[3], cell, 2 * i + 1)) * level.stride;
    }
    return result;
  }
};

__device__ __forceinline__ float clamped(float value, float most) {
  return fminf(fmaxf(value, 0.0F), most);
}

/// Maps a candidate to pixels of the frame and clips its box. Returns false if the candidate is
/// dropped, because a value is not finite or the box is empty.
__device__ __forceinline__ bool map_to_frame(Candidate& candidate, const HeadArguments& a) {
  Box& box = candidate.box;
  box = {box.x1 * a.scale_x, box.y1 * a.scale_y, box.x2 * a.scale_x, box.y2 * a.scale_y};
  bool finite = isfinite(box.x1) && isfinite(box.y1) && isfinite(box.x2) && isfinite(box.y2);
  for (int i = 0; i < 10; ++i) {
    float& value = raw(candidate.points)[i];
    value *= i % 2 == 0 ? a.scale_x : a.scale_y;
    finite = finite && isfinite(value);
  }
  box = {clamped(box.x1, a.frame_width), clamped(box.y1, a.frame_height),
         clamped(box.x2, a.frame_width), clamped(box.y2, a.frame_height)};
  return finite && box.x2 - box.x1 > 0 && box.y2 - box.y1 > 0;
}

/// Decodes the candidate of a cell whose score passes the threshold. Returns false if the candidate
/// is dropped.
template <class Kind>
__device__ __forceinline__ bool decode(const HeadArguments& a, const Level& level,
                                       std::uint32_t cell, Candidate& candidate) {
  const std::uint32_t row = cell / level.columns;
  candidate = Kind::decode(level, cell, static_cast<float>(row),
                           static_cast<float>(cell - row * level.columns));
  return map_to_frame(candidate, a);
}

}  // namespace facepipe::detector::engine
