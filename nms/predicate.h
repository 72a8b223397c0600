// Holds the arithmetic of suppression, which is the same for the CPU and for CUDA: fp32, with every
// operation rounded to nearest. The compiler must not contract a multiplication and an addition to
// one operation. On CUDA, where nvcc contracts, explicit intrinsics prevent it. On the CPU, the
// option -ffp-contract=off prevents it. facepipe::nms and its users are compiled with this option.
#pragma once

#include <bit>
#include <cstdint>

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

// lesser() and greater() are for coordinates of valid boxes, so no operand is NaN. CPU and CUDA may
// return zeros of different signs. No comparison depends on the sign of a zero.
FACEPIPE_NMS_INLINE float lesser(float a, float b) {
#ifdef __CUDA_ARCH__
  return fminf(a, b);
#else
  return b < a ? b : a;
#endif
}

FACEPIPE_NMS_INLINE float greater(float a, float b) {
#ifdef __CUDA_ARCH__
  return fmaxf(a, b);
#else
  return a < b ? b : a;
#endif
}

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

/// Returns whether IoU > threshold, without a division: inter > threshold * (area_a + area_b -
/// inter).
FACEPIPE_NMS_INLINE bool iou_exceeds(float inter, float area_a, float area_b, float threshold) {
  return inter > mul(threshold, sub(add(area_a, area_b), inter));
}

/// Returns d^2 / c^2 of DIoU. d is the distance of the centres, and c is the diagonal of the
/// bounding box of both boxes. dx and dy are twice the distances of the centres along the axes,
/// because the sums aren't divided by 2. The factor 0.25 corrects this.
FACEPIPE_NMS_INLINE float centre_penalty(const Box& a, const Box& b) {
  const float dx = sub(add(a.x1, a.x2), add(b.x1, b.x2));
  const float dy = sub(add(a.y1, a.y2), add(b.y1, b.y2));
  const float cx = sub(greater(a.x2, b.x2), lesser(a.x1, b.x1));
  const float cy = sub(greater(a.y2, b.y2), lesser(a.y1, b.y1));
  const float distance = mul(0.25F, add(mul(dx, dx), mul(dy, dy)));
  return div(distance, add(mul(cx, cx), mul(cy, cy)));
}

/// Returns whether DIoU > threshold: inter > (threshold + d^2 / c^2) * union. The result is never
/// true if the boxes don't overlap.
FACEPIPE_NMS_INLINE bool diou_exceeds(const Box& a, const Box& b, float inter, float area_a,
                                      float area_b, float threshold) {
  return iou_exceeds(inter, area_a, area_b, add(threshold, centre_penalty(a, b)));
}

/// Returns whether inter / area(winner) > threshold.
FACEPIPE_NMS_INLINE bool winner_share_exceeds(float inter, float winner_area, float threshold) {
  return inter > mul(threshold, winner_area);
}

/// Returns whether inter / the smaller area > threshold.
FACEPIPE_NMS_INLINE bool smaller_share_exceeds(float inter, float area_a, float area_b,
                                               float threshold) {
  return inter > mul(threshold, lesser(area_a, area_b));
}

// --- Rule matrix ---------------------------------------------------------------------------------

/// Returns a valid box in the form that the rule `matrix` compares: first made a square, then one
/// pixel longer. The square contains the box even if its corner is rounded. So no corner of a valid
/// box becomes NaN.
FACEPIPE_NMS_INLINE Box matrix_box(const Box& box, bool squares, bool plus_one) {
  Box out = box;
  if (squares) {
    const float side = greater(sub(box.x2, box.x1), sub(box.y2, box.y1));
    out.x2 = greater(box.x2, add(box.x1, side));
    out.y2 = greater(box.y2, add(box.y1, side));
  }
  if (plus_one) {
    out.x2 = add(out.x2, 1.0F);
    out.y2 = add(out.y2, 1.0F);
  }
  return out;
}

// --- Rule soft -----------------------------------------------------------------------------------

// In this section, `inter` and the areas belong to valid boxes. A candidate's score is multiplied
// by its decays one by one, in the order in which the candidates that overlap it are selected.

/// Returns the IoU. It is NaN if both areas are infinite or 0. Then linear_decay() and
/// gaussian_decay() return 1.
FACEPIPE_NMS_INLINE float iou(float inter, float area_a, float area_b) {
  return div(inter, sub(add(area_a, area_b), inter));
}

/// Returns exp(-x) for x >= 0, with an error of at most 1 unit in the last place. For x >= 87 it
/// returns 0; there, exp(-x) is not much above the smallest normal number. The reduction and the
/// polynomial come from expf in Cephes (S. L. Moshier, netlib.org/cephes). The CPU and CUDA round
/// the operations used here in the same way.
FACEPIPE_NMS_INLINE float exp_minus(float x) {
  if (!(x < 87.0F)) return 0.0F;
  // The conversion rounds down, because x >= 0.
  const auto halvings = static_cast<std::int32_t>(add(mul(x, 1.44269504F), 0.5F));
  const auto whole = static_cast<float>(halvings);
  // r is the remainder of -x, in [-ln 2 / 2, ln 2 / 2]. ln 2 is the sum of two constants. The first
  // constant has 9 bits, so that its product with `whole` is exact.
  const float r = add(sub(mul(whole, 0.693359375F), x), mul(whole, -2.12194440e-4F));
  float sum = 1.9875691500e-4F;
  sum = add(mul(sum, r), 1.3981999507e-3F);
  sum = add(mul(sum, r), 8.3334519073e-3F);
  sum = add(mul(sum, r), 4.1665795894e-2F);
  sum = add(mul(sum, r), 1.6666665459e-1F);
  sum = add(mul(sum, r), 5.0000001201e-1F);
  sum = add(add(mul(sum, mul(r, r)), r), 1.0F);
  const std::int32_t bits = (127 - halvings) << 23;  // 2^-halvings, never subnormal
#ifdef __CUDA_ARCH__
  return mul(sum, __int_as_float(bits));
#else
  return mul(sum, std::bit_cast<float>(bits));
#endif
}

/// linear_decay() and gaussian_decay() return the factor by which a candidate's score is multiplied
/// because the candidate overlaps a selected candidate.
FACEPIPE_NMS_INLINE float linear_decay(float iou, float threshold) {
  return iou > threshold ? sub(1.0F, iou) : 1.0F;
}
FACEPIPE_NMS_INLINE float gaussian_decay(float iou, float sigma) {
  return iou > 0 ? exp_minus(div(mul(iou, iou), sigma)) : 1.0F;
}

/// Returns score * decay. If the score is infinite and the decay is 0, returns 0.
FACEPIPE_NMS_INLINE float decayed(float score, float decay) {
  const float product = mul(score, decay);
  return product == product ? product : 0.0F;
}

// --- Voting --------------------------------------------------------------------------------------

/// Holds sums over a kept box and the boxes that joined it. Boxes are added in rank order, so the
/// kept box is first.
struct VoteSums {
  float weight = 0;
  float x1 = 0;
  float y1 = 0;
  float x2 = 0;
  float y2 = 0;
};

FACEPIPE_NMS_INLINE void add_vote(VoteSums& sums, const Box& box, float score) {
  const float weight = greater(0.0F, score);
  sums.weight = add(sums.weight, weight);
  sums.x1 = add(sums.x1, mul(weight, box.x1));
  sums.y1 = add(sums.y1, mul(weight, box.y1));
  sums.x2 = add(sums.x2, mul(weight, box.x2));
  sums.y2 = add(sums.y2, mul(weight, box.y2));
}

/// Returns the mean. If the mean is not a valid box, because there is no weight or a sum is
/// infinite, returns the kept box itself.
FACEPIPE_NMS_INLINE Box voted_box(const VoteSums& sums, const Box& box) {
  const Box mean{div(sums.x1, sums.weight), div(sums.y1, sums.weight), div(sums.x2, sums.weight),
                 div(sums.y2, sums.weight)};
  return valid(mean.x1, mean.y1, mean.x2, mean.y2, 0.0F) ? mean : box;
}

}  // namespace facepipe::nms
