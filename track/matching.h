// Which detection continues which track.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/geometry.h"
#include "track/neighbours.h"

namespace facepipe {

/// The smallest box that holds both.
[[nodiscard]] Box joined(const Box& a, const Box& b);

/// Linearly: `a` at k = 0, `b` at k = 1.
[[nodiscard]] Box between(const Box& a, const Box& b, float k);

/// Whether it is finite, and not empty.
[[nodiscard]] bool is_usable(const Box& box);

/// Whether the two have a part in common.
[[nodiscard]] bool meets(const Box& box, Size picture);

/// By a share of its width and height on each side.
[[nodiscard]] Box grown(const Box& box, float share);

/// Intersection over union; 0 where either box is empty.
[[nodiscard]] float iou(const Box& a, const Box& b);

/// How well a detection fits a prediction; the higher, the better. Over 1: 1 + IoU, where that is
/// 0.2 or more. 0 .. 1: boxes side by side, as of a fast or small face: 1 less the distance of
/// their centres by their smaller size (the root of the area), where that is under 0.6 and the
/// sizes differ by less than 2. 0: no pair.
[[nodiscard]] float affinity(const MeasuredBox& prediction, const MeasuredBox& detection);

/// A detection, by its number, and how well it fits.
struct Fit {
  std::size_t number = 0;
  float affinity = 0;
};

/// All detections whose affinity is over 0, in no order.
[[nodiscard]] std::vector<Fit> fits_of(const Box& prediction, const Neighbours& detections);

/// Of each box, whether its IoU with another one is over `least`, which is 0 or more.
[[nodiscard]] std::vector<bool> which_cross(std::span<const Box> boxes, float least);

struct Match {
  std::size_t prediction = 0;
  std::size_t detection = 0;
  friend bool operator==(const Match&, const Match&) = default;
};

/// Pairs of the best affinity first; each box at most once; of equal affinity the lower prediction,
/// then the lower detection.
[[nodiscard]] std::vector<Match> match_greedily(std::span<const Box> predictions,
                                                std::span<const Box> detections);

}  // namespace facepipe
