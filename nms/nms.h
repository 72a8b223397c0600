// Non-maximum suppression decides which of many overlapping candidates are kept. This header is the
// contract of both back ends, cpu/suppressor.h and cuda/suppressor.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/geometry.h"

namespace facepipe::nms {

/// A rule says which candidates remove a candidate. Candidates are ranked by score descending, then
/// by index ascending; -0 and +0 are equal scores. A candidate outranks the candidates after it in
/// this order. It suppresses each of these candidates if their overlap exceeds the threshold
/// (NmsOverlap). A candidate is invalid if its box or score contains NaN, or if its width or height
/// is <= 0. An invalid candidate is dropped and suppresses no candidate.
enum class NmsRule : std::uint8_t {
  /// A *kept* candidate removes the candidates that it suppresses. This is exact on every back end.
  greedy,
  /// *Any* candidate, kept or not, removes the candidates that it suppresses. This is the boolean
  /// matrix of Oro et al. 2020, with its map and reduce kernels (Algorithms 1 and 2). It keeps a
  /// subset of the candidates that `greedy` keeps. Work and memory are proportional to D_max^2.
  matrix,
  /// Keeps the same candidates as `matrix`, by the same predicate, without the matrix (Fast NMS of
  /// YOLACT).
  fast,
  /// Soft-NMS (Bodla et al. 2017) selects the candidate with the highest score (if scores are
  /// equal, the lowest index). Then the scores of the candidates that overlap it decay. This
  /// repeats until no score is >= soft.min_score. The selected candidates are kept, in the order of
  /// selection. A score is multiplied by its decays in the order of selection, in fp32
  /// (predicate.h).
  soft,
  /// OpenCV's groupRectangles with eps = 0.2: similar candidates form groups, and each group
  /// becomes one box. This is for detectors that find a face many times, as cascades do. See
  /// GroupOptions.
  groups,
};

/// Says how the overlap of two candidates is measured. The winner is the candidate that outranks
/// the other (the loser). It suppresses the loser if the measure exceeds the threshold; equality is
/// not enough. Boxes are half-open, without "+1 pixel". Arithmetic is fp32, rounded to nearest,
/// without contraction, in the order written in predicate.h. So the results of all back ends are
/// equal bit for bit.
enum class NmsOverlap : std::uint8_t {
  iou,  ///< inter / union, tested as inter > t * union
  /// IoU - d^2 / c^2 (Zheng et al. 2020). d is the distance of the centres, and c is the diagonal
  /// of the bounding box of both boxes.
  diou,
  winner_area,  ///< inter / area(winner), as published by Oro et al.; not symmetric
  /// inter / the smaller area, as in detectors of channel features (Dollar et al. 2014). It removes
  /// boxes that lie within others.
  smaller_area,
};

/// Says how an IoU with a selected candidate becomes the factor of a score (rule `soft`).
enum class SoftDecay : std::uint8_t {
  linear,    ///< 1 - IoU if IoU > threshold, otherwise 1
  gaussian,  ///< exp(-IoU^2 / sigma); the threshold is not used
};

struct SoftOptions {
  SoftDecay decay = SoftDecay::gaussian;
  float sigma = 0.5F;       ///< > 0; for gaussian only
  float min_score = 0.02F;  ///< > 0: candidates with a lower score are not selected
  friend bool operator==(const SoftOptions&, const SoftOptions&) = default;
};

/// Holds options of the rule `matrix`, with the paper's names. With any other rule, it is an error
/// to set squares or plus_one.
struct MatrixOptions {
  /// Number of rows and of columns of the matrix, 1..16384. It is also the largest capacity.
  std::uint32_t d_max = 4096;
  /// Number of partitions of a row, each reduced by d_max / k threads. d_max / k must be at most
  /// 1,024.
  std::uint32_t k = 32;
  bool squares = false;  ///< a box becomes a square with its top left corner and its longer side
  /// Sides are one pixel longer, as published, so that boxes that touch overlap.
  bool plus_one = false;
  friend bool operator==(const MatrixOptions&, const MatrixOptions&) = default;
};

/// Holds options of the rule `groups`. This rule has no overlap except iou, no threshold and no
/// voting. Scores matter only because a candidate with a NaN is invalid.
/// * Boxes are rounded to whole pixels: x1, y1, width and height are each rounded to the nearest,
///   halves to even. A candidate is invalid if its width or height rounds to 0, or if a corner is
///   more than 2^23 pixels from an axis.
/// * Two boxes are similar if each of their four edges differs by at most 0.1 times the sum of the
///   lesser width and the lesser height (similar.h).
/// * A group is a connected component of n similar boxes. Its box is their mean. For each of x1,
///   y1, width and height, the sum as fp32 is multiplied by the fp32 quotient 1 / n, and rounded as
///   above.
/// * A group of n <= min_neighbours boxes is removed.
/// * A group of n boxes is also removed if its box lies within the enlarged box of another group of
///   m > min_neighbours boxes, and m > n or n < 3. (OpenCV writes m > max(3, n) or n < 3, which is
///   the same.) A box is enlarged on the left and on the right by a fifth of its width (rounded),
///   and above and below by a fifth of its height. It doesn't matter whether the other group is
///   removed, too.
/// * The index of a kept group is the lowest index of its candidates. Its score is n / (n +
///   min_neighbours). Groups are ranked by this score, and by index if scores are equal.
struct GroupOptions {
  std::uint32_t min_neighbours = 3;  ///< 1..65536; detectMultiScale's minNeighbors
  friend bool operator==(const GroupOptions&, const GroupOptions&) = default;
};

struct NmsOptions {
  NmsRule rule = NmsRule::greedy;
  NmsOverlap overlap = NmsOverlap::iou;  ///< only iou with the rules `soft` and `groups`
  float threshold = 0.3F;                ///< 0 <= threshold <= 1
  SoftOptions soft;
  MatrixOptions matrix;
  GroupOptions groups;
  /// Box voting: a kept box becomes the mean of itself and the boxes that joined it, weighted by
  /// score (scores <= 0 have no weight). Each removed candidate joins the highest ranked kept
  /// candidate that outranks and suppresses it. With the rules `matrix` and `fast`, there may be no
  /// such candidate. The sums are computed in rank order, in fp32 (VoteSums in predicate.h), over
  /// the boxes as given, even with matrix.squares and plus_one. Voting is an error with the rules
  /// `soft` and `groups`.
  bool voting = false;
  friend bool operator==(const NmsOptions&, const NmsOptions&) = default;
};

/// Returns whether kept boxes differ from the candidates' boxes.
[[nodiscard]] constexpr bool moves_boxes(const NmsOptions& options) {
  return options.voting || options.rule == NmsRule::groups;
}
/// Returns whether kept scores differ from the candidates' scores.
[[nodiscard]] constexpr bool changes_scores(const NmsOptions& options) {
  return options.rule == NmsRule::soft || options.rule == NmsRule::groups;
}

/// Refers to candidates on the host, in any order.
struct NmsCandidates {
  std::span<const Box> boxes;
  std::span<const float> scores;  ///< one for each box
};

/// Refers to kept candidates on the host. The spans point to the suppressor's memory and are valid
/// until its next call.
struct NmsKept {
  std::span<const std::uint32_t> indices;  ///< in rank order (`soft`: in the order of selection)
  /// Voting: the moved box of each index; `groups`: the mean boxes; otherwise empty.
  std::span<const Box> boxes;
  std::span<const float> scores;  ///< `soft`: the decayed score of each index; `groups`: the
                                  ///< groups' scores; otherwise empty
  /// The number of candidates with index >= capacity, which were not looked at.
  std::uint32_t beyond_capacity = 0;
};

/// The largest capacity of a suppressor.
inline constexpr std::uint32_t kMaxNmsCapacity = 65536;
inline constexpr std::uint32_t kMaxMatrixSide = 16384;

/// Returns the largest capacity of a suppressor with these options: d_max with the rule `matrix`,
/// otherwise kMaxNmsCapacity.
[[nodiscard]] constexpr std::uint32_t nms_capacity(const NmsOptions& options) {
  return options.rule == NmsRule::matrix ? options.matrix.d_max : kMaxNmsCapacity;
}

/// Throws Error(usage), naming the option, if options contradict each other, are out of range, or
/// don't fit the capacity.
void check_nms_options(const NmsOptions& options, std::uint32_t capacity);

/// name_of() returns the name that the command line uses: greedy, matrix, fast, soft,
/// opencv-groups; iou, diou, winner-area, smaller-area; linear, gaussian.
[[nodiscard]] std::string_view name_of(NmsRule rule);
[[nodiscard]] std::string_view name_of(NmsOverlap overlap);
[[nodiscard]] std::string_view name_of(SoftDecay decay);

}  // namespace facepipe::nms
