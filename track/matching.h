// Which detection continues which track.
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
/// @param room  as Neighbours::find() takes it
[[nodiscard]] std::vector<Fit> fits_of(const Box& prediction, const Neighbours& detections,
                                       std::vector<std::uint32_t>& room);

/// Of each box, whether its IoU with another one is over `least`, which is 0 or more.
[[nodiscard]] std::vector<bool> which_cross(std::span<const Box> boxes, float least);

struct Match {
  std::size_t prediction = 0;
  std::size_t detection = 0;
  friend bool operator==(const Match&, const Match&) = default;
};

/// Two numbers in one, so that one comparison tells which pair is better: the lower one is, of a
/// better affinity first, then of the lower box.
class Rank {
 public:
  Rank() = default;  // behind all others
  /// @param affinity  over 0: the bits of such are in their order
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

/// What may be a match.
struct Pair {
  Rank rank;  ///< with the prediction
  std::uint32_t detection = 0;
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

/// Adds all pairs of an affinity over 0.
/// @param first  number of the first prediction
void add_pairs(std::span<const Box> predictions, std::uint32_t first, const Neighbours& detections,
               std::vector<Pair>& pairs);

/// Of these pairs those of the best affinity first; each box at most once; of equal affinity the
/// lower prediction, then the lower detection.
/// @param predictions, detections  how many there are: the pairs' numbers are below
[[nodiscard]] std::vector<Match> match_greedily(std::vector<Pair> pairs, std::size_t predictions,
                                                std::size_t detections);

/// Likewise, of all pairs.
[[nodiscard]] std::vector<Match> match_greedily(std::span<const Box> predictions,
                                                std::span<const Box> detections);

}  // namespace facepipe::track
