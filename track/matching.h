// Decides which detection continues which track.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/geometry.h"
#include "track/neighbours.h"

namespace facepipe::track {

/// Returns the smallest box that holds both.
[[nodiscard]] Box joined(const Box& a, const Box& b);

/// Returns the linear mean: `a` at k = 0, `b` at k = 1.
[[nodiscard]] Box between(const Box& a, const Box& b, float k);

/// Returns whether the box is finite and not empty.
[[nodiscard]] bool is_usable(const Box& box);

/// Returns whether the box and the picture have a part in common.
[[nodiscard]] bool meets(const Box& box, Size picture);

/// Returns the box grown by a share of its width and height on each side.
[[nodiscard]] Box grown(const Box& box, float share);

/// Returns the intersection over union; 0 if either box is empty.
[[nodiscard]] float iou(const Box& a, const Box& b);

/// Returns how well a detection fits a prediction; higher is better. Over 1: the boxes have an IoU
/// of 0.2 or more, and the value is 1 + IoU. 0..1: the boxes lie side by side, as for a fast or
/// small face. The value is 1 minus the distance of their centres by the smaller size (the root of
/// the area). That distance is under 0.6, and the sizes differ by less than a factor of 2. 0: they
/// are no pair.
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

/// Returns for each box whether its IoU with another one is over `least`, which is 0 or more.
[[nodiscard]] std::vector<bool> which_cross(std::span<const Box> boxes, float least);

struct Match {
  std::size_t prediction = 0;
  std::size_t detection = 0;
  friend bool operator==(const Match&, const Match&) = default;
};

/// Holds two numbers in one, so that one comparison tells which pair is better. The lower Rank is
/// better: it has the higher affinity or, if they are equal, the lower box.
class Rank {
 public:
  Rank() = default;  // comes after all others
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
  Rank rank;  ///< contains the prediction
  std::uint32_t detection = 0;
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

/// Adds all pairs with an affinity over 0.
/// @param first  number of the first prediction
void add_pairs(std::span<const Box> predictions, std::uint32_t first, const Neighbours& detections,
               std::vector<Pair>& pairs);

/// Chooses matches from these pairs, by falling affinity, so that each box is in one match at most.
/// If affinities are equal, the lower prediction comes first, then the lower detection.
/// @param predictions, detections  how many there are; the pairs' numbers are lower
[[nodiscard]] std::vector<Match> match_greedily(std::vector<Pair> pairs, std::size_t predictions,
                                                std::size_t detections);

/// Does the same for all pairs of these boxes.
[[nodiscard]] std::vector<Match> match_greedily(std::span<const Box> predictions,
                                                std::span<const Box> detections);

}  // namespace facepipe::track
