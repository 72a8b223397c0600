// Decodes the network's outputs for a cell into a candidate. Kernels call this.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detector/cnn/cuda/head_arguments.h"
#include "detector/cnn/cuda/operators/activation.cuh"
#include "detector/cnn/model/head_cells.h"

namespace facepipe::detector::engine {

/// Gives access to the network's outputs for a cell. See detector/cnn/model/head_cells.h.
struct DeviceCell {
  const Level& level;
  std::uint32_t place;
  std::uint32_t anchor;

  [[nodiscard]] __device__ __forceinline__ float at(int tensor, int channel) const {
    const HeadTensor& from = level.tensors[tensor];
    // The read-only cache is not used, because the calling kernel itself may have written the
    // value.
    const float value = from.values[static_cast<std::size_t>(place) * from.pitch +
                                    anchor * from.channels + channel];
    return activated(value, from.pending);
  }
};

/// Returns a cell of a level by its index. Most heads have one cell at each place.
__device__ __forceinline__ DeviceCell cell_at(const HeadArguments& a, const Level& level,
                                              std::uint32_t cell) {
  if (a.anchors == 1) return {level, cell, 0};
  return {level, cell / a.anchors, cell % a.anchors};
}

struct Candidate {
  Box box;
  Landmarks points;
};

__device__ __forceinline__ float* raw(Landmarks& points) {
  return reinterpret_cast<float*>(&points);
}

__device__ __forceinline__ float clamped(float value, float most) {
  return fminf(fmaxf(value, 0.0F), most);
}

/// Maps a candidate to pixels of the frame and clips its box. Returns false if the candidate is
/// dropped, because a value is not finite or the box is empty.
__device__ __forceinline__ bool map_to_frame(Candidate& candidate, const HeadArguments& a) {
  Box& box = candidate.box;
  box = {box.x1 * a.scale_x, box.y1 * a.scale_y, box.x2 * a.scale_x, box.y2 * a.scale_y};
  bool finite = isfinite(box.x1) && isfinite(box.y1) && isfinite(box.x2) && isfinite(box.y2);
  if (a.landmarks)
    for (int i = 0; i < 2 * kLandmarkCount; ++i) {
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
template <class Cells>
__device__ __forceinline__ bool decode(const HeadArguments& a, const DeviceCell& cell,
                                       Candidate& candidate) {
  const std::uint32_t row = cell.place / cell.level.columns;
  const CellPlace place{static_cast<float>(row),
                        static_cast<float>(cell.place - row * cell.level.columns),
                        cell.level.stride, cell.level.anchors[cell.anchor]};
  candidate.box = Cells::box(cell, place, a.numbers);
  if (a.landmarks)
    Cells::points(cell, place, candidate.box, a.numbers,
                  reinterpret_cast<Point*>(&candidate.points));
  return map_to_frame(candidate, a);
}

/// Returns the class of a cell's candidate; 0 for a kind of head that doesn't tell classes apart.
template <class Cells>
__device__ __forceinline__ std::uint16_t class_of(const HeadArguments& a, const DeviceCell& cell) {
  if constexpr (requires { Cells::class_of(cell, a.numbers); })
    return static_cast<std::uint16_t>(Cells::class_of(cell, a.numbers));
  else
    return 0;
}

/// Writes the candidate of a cell to entry `at`.
template <class Cells>
__device__ __forceinline__ void write_candidate(const HeadArguments& a, const DeviceCell& cell,
                                                std::uint32_t at) {
  Candidate candidate;
  decode<Cells>(a, cell, candidate);
  a.to.boxes[at] = candidate.box;
  a.to.scores[at] = Cells::score(cell, a.numbers);
  if (a.landmarks) a.to.landmarks[at] = candidate.points;
  if (a.to.classes != nullptr) a.to.classes[at] = class_of<Cells>(a, cell);
}

template <class Cells>
__device__ __forceinline__ bool holds_candidate(const HeadArguments& a, const DeviceCell& cell) {
  const float score = Cells::score(cell, a.numbers);
  Candidate candidate;
  return score > a.threshold && isfinite(score) && decode<Cells>(a, cell, candidate);
}

}  // namespace facepipe::detector::engine
