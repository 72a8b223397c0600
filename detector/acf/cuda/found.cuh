// Lists the windows that pass. Kernels call this.
#pragma once

#include "core/geometry.h"
#include "core/turning.h"
#include "detector/acf/channels.h"
#include "detector/acf/cuda/kernels.h"

namespace facepipe::detector::acf {

/// Lists the window at column `at.x` and row `at.y` of a scale, which no tree has rejected. A
/// window that lies wholly in the padding, or whose sum is too low, is left out.
__device__ inline void list_found(const AcfPlan& plan, const DeviceScale& of, PixelPlace at,
                                  std::int32_t sum, const AcfBuffers& buffers) {
  const Box box = clipped(window_box(of.scale, at.x, at.y), plan.picture.upright);
  const bool is_there = sub(box.x2, box.x1) > 0 && sub(box.y2, box.y1) > 0;
  if (!is_there || sum < plan.classifier.least_sum) return;
  const unsigned index = atomicAdd(buffers.found_count, 1U);
  if (index >= buffers.capacity) return;
  const auto across = static_cast<unsigned>(of.scale.places.width);
  buffers.found[index] = {
      of.first_place + static_cast<unsigned>(at.y) * across + static_cast<unsigned>(at.x), sum};
  buffers.boxes[index] = box;
}

}  // namespace facepipe::detector::acf
