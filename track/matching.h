// Decides which detection continues which track.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/detections.h"
#include "core/geometry.h"
#include "track/neighbours.h"

namespace facepipe::track {

/// Returns the smallest box that contains `a` and `b`.
[[nodiscard]] Box joined(const Box& a, const Box& b);

/// Interpolates linearly: returns `a` for k = 0, and `b` for k = 1.
[[nodiscard]] Box between(const Box& a, const Box& b, float k);

/// Returns whether the box is finite and not empty.
[[nodiscard]] bool is_usable(const Box& box);

/// Returns whether a part of the box lies in the picture.
[[nodiscard]] bool meets(const Box& box, Size picture);

/// Returns the box grown by a share of its width and height on each side.
[[nodiscard]] Box grown(const Box& box, float share);

/// Returns the intersection over union; 0 if either box is empty.
[[nodiscard]] float iou(const Box& a, const Box& b);

/// Returns how well a detection fits a prediction; higher is better.
/// * If the IoU of the two boxes is 0.2 or more, the value is 1 + IoU.
/// * Otherwise the boxes can still belong together, if the face is fast or small. Let d be the
///   distance of their centres, divided by the smaller size (the root of the area). If d is under
///   0.6 and the sizes differ by less than a factor of 2, the value is 1 - d.
/// * Otherwise the value is 0.
[[nodiscard]] float affinity(const MeasuredBox& prediction, const MeasuredBox& detection);

/// Holds a detection, by its number, and how well it fits.
struct Fit {
  std::size_t number = 0;
  float affinity = 0;
};

/// Returns all detections whose affinity is over 0, in any order.
/// @param room  as for Neighbours::find()
[[nodiscard]] std::vector<Fit> fits_of(const Box& prediction, const Neighbours& detections,
                                       std::vector<std::uint32_t>& room);

/// Returns for each box whether its IoU with any other box of its class is over `least` (0 or
/// more).
/// @param classes  one for each box; empty: all boxes are of one class
[[nodiscard]] std::vector<bool> which_cross(std::span<const Box> boxes, float least,
                                            std::span<const std::uint16_t> classes = {});

struct Match {
  std::size_t prediction = 0;
  std::size_t detection = 0;
  friend bool operator==(const Match&, const Match&) = default;
};

/// Combines an affinity and a box's number in one value, so that one comparison finds the better
/// box. The lower Rank is better: it has the higher affinity or, if affinities are equal, the lower
/// number.
class Rank {
 public:
  Rank() = default;  // is worse than all other ranks
  /// @param affinity  over 0, because the bits of positive floats have the order of the floats
  Rank(float affinity, std::uint32_t box)
      : bits_(std::uint64_t{~std::bit_cast<std::uint32_t>(affinity)} << 32U | box) {}

  [[nodiscard]] std::uint32_t box() const { return static_cast<std::uint32_t>(bits_); }
  [[nodiscard]] float affinity() const {
    return std::bit_cast<float>(~static_cast<std::uint32_t>(bits_ >> 32U));
  }
  friend auto operator<=>(const Rank&, const Rank&) = default;

 private:
  std::uint64_t bits_ = ~std::uint64_t{0};
};

/// Holds a possible match.
struct Pair {
  Rank rank;  ///< the affinity, and the number of the prediction
  std::uint32_t detection = 0;
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

/// Adds all pairs with an affinity over 0.
/// @param first  number of the first prediction; the others follow
void add_pairs(std::span<const Box> predictions, std::uint32_t first, const Neighbours& detections,
               std::vector<Pair>& pairs);

/// Chooses matches from these pairs, by falling affinity, so that each box is in one match at most.
/// If affinities are equal, the lower prediction comes first, then the lower detection.
/// @param predictions, detections  how many boxes there are; all numbers in the pairs are lower
[[nodiscard]] std::vector<Match> match_greedily(std::vector<Pair> pairs, std::size_t predictions,
                                                std::size_t detections);

/// Chooses matches in the same way from all pairs of these boxes.
[[nodiscard]] std::vector<Match> match_greedily(std::span<const Box> predictions,
                                                std::span<const Box> detections);

/// Chooses matches in the same way from all pairs of one class.
[[nodiscard]] std::vector<Match> match_greedily(const Detections& predictions,
                                                const Detections& detections);

}  // namespace facepipe::track
