// The predicate of Oro et al. 2020, Algorithm 1, exactly as it is printed. The host and the kernels
// share it.
#pragma once

#include "core/geometry.h"
#include "core/host_device.h"

namespace facepipe::nms_papers {

/// A detection as the paper defines it: a square, given by its upper left corner and its side, and
/// a score. A side of 0 means that there is no detection.
struct PrintedDetection {
  float x = 0;
  float y = 0;
  float z = 0;
  float s = 0;
};

/// Returns the square with the box's upper left corner and longer side.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline PrintedDetection printed_detection(const Box& box,
                                                                             float score) {
  const float width = box.x2 - box.x1;
  const float height = box.y2 - box.y1;
  return {box.x1, box.y1, width < height ? height : width, score};
}

/// Returns the length of the interval that two sides have in common. It is one pixel too long, as
/// printed.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float printed_common(float a, float a_side, float b,
                                                               float b_side) {
  const float a_end = a + a_side;
  const float b_end = b + b_side;
  const float common = (a_end < b_end ? a_end : b_end) - (a < b ? b : a) + 1;
  return common < 0 ? 0 : common;
}

/// Returns whether Algorithm 1 writes B_ij, which it does only if the column's score is higher.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline bool printed_writes(const PrintedDetection& i,
                                                              const PrintedDetection& j) {
  return i.s < j.s;
}

/// Returns the B_ij that Algorithm 1 writes: false if j suppresses i. The paper doesn't state the
/// types of the numbers; here they are fp32.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline bool printed_cell(const PrintedDetection& i,
                                                            const PrintedDetection& j,
                                                            float threshold) {
  const float a = (j.z + 1) * (j.z + 1);
  const float w = printed_common(i.x, i.z, j.x, j.z);
  const float h = printed_common(i.y, i.z, j.y, j.z);
  return w * h / a < threshold && j.z != 0;
}

}  // namespace facepipe::nms_papers
