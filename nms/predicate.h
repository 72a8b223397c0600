// The one arithmetic of suppression, for the CPU and for CUDA: fp32, rounded to nearest, each operation
// by itself. On CUDA that needs the explicit intrinsics (nvcc contracts); on the CPU -ffp-contract=off,
// which facepipe::nms' targets are compiled with.
#pragma once

#include "core/geometry.h"

#ifdef __CUDACC__
#define FACEPIPE_NMS_INLINE __host__ __device__ __forceinline__
#else
#define FACEPIPE_NMS_INLINE inline
#endif

namespace facepipe::nms {

FACEPIPE_NMS_INLINE float add(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}

FACEPIPE_NMS_INLINE float sub(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fsub_rn(a, b);
#else
  return a - b;
#endif
}

FACEPIPE_NMS_INLINE float mul(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

FACEPIPE_NMS_INLINE float div(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fdiv_rn(a, b);
#else
  return a / b;
#endif
}

// Of valid boxes alone, so no operand is NaN.
FACEPIPE_NMS_INLINE float lesser(float a, float b) { return b < a ? b : a; }
FACEPIPE_NMS_INLINE float greater(float a, float b) { return a < b ? b : a; }

FACEPIPE_NMS_INLINE bool valid(float x1, float y1, float x2, float y2, float score) {
  // Comparisons with NaN are false, so a NaN corner fails one of them.
  return sub(x2, x1) > 0 && sub(y2, y1) > 0 && score == score;
}

FACEPIPE_NMS_INLINE float area(const Box& box) {
  return mul(sub(box.x2, box.x1), sub(box.y2, box.y1));
}

FACEPIPE_NMS_INLINE float intersection(const Box& a, const Box& b) {
  const float width = greater(0.0F, sub(lesser(a.x2, b.x2), greater(a.x1, b.x1)));
  const float height = greater(0.0F, sub(lesser(a.y2, b.y2), greater(a.y1, b.y1)));
  return mul(width, height);
}

/// IoU > threshold, without a division: inter > threshold * (area_a + area_b - inter).
FACEPIPE_NMS_INLINE bool iou_exceeds(float inter, float area_a, float area_b, float threshold) {
  return inter > mul(threshold, sub(add(area_a, area_b), inter));
}

/// d^2 / c^2 of DIoU: twice the distance of the centres (whole sums, so no rounding by halves) over
/// twice the diagonal of the smallest box around both.
FACEPIPE_NMS_INLINE float centre_penalty(const Box& a, const Box& b) {
  const float dx = sub(add(a.x1, a.x2), add(b.x1, b.x2));
  const float dy = sub(add(a.y1, a.y2), add(b.y1, b.y2));
  const float cx = sub(greater(a.x2, b.x2), lesser(a.x1, b.x1));
  const float cy = sub(greater(a.y2, b.y2), lesser(a.y1, b.y1));
  const float distance = mul(0.25F, add(mul(dx, dx), mul(dy, dy)));
  return div(distance, add(mul(cx, cx), mul(cy, cy)));
}

/// DIoU > threshold: inter > (threshold + d^2 / c^2) * union. Never true where boxes don't overlap.
FACEPIPE_NMS_INLINE bool diou_exceeds(const Box& a, const Box& b, float inter, float area_a,
                                      float area_b, float threshold) {
  return iou_exceeds(inter, area_a, area_b, add(threshold, centre_penalty(a, b)));
}

/// inter / area(winner) > threshold.
FACEPIPE_NMS_INLINE bool winner_share_exceeds(float inter, float winner_area, float threshold) {
  return inter > mul(threshold, winner_area);
}

}  // namespace facepipe::nms
