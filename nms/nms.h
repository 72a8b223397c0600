// Non-maximum suppression: which of many overlapping candidates are kept. This is the contract of
// all back ends, which are in cpu/suppressor.h and cuda/suppressor.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/geometry.h"

namespace facepipe::nms {

/// Which candidates remove a candidate. Candidates are ranked by score descending, then by index
/// ascending; -0 and +0 are equal scores. A candidate outranks those after it in this order, and
/// suppresses a candidate if their overlap exceeds the threshold (NmsOverlap). A candidate with NaN
/// in its box or score, or with width or height <= 0, is invalid: it is dropped and suppresses
/// none.
enum class NmsRule : std::uint8_t {
  /// A *kept* candidate removes those that it outranks and suppresses. Exact on every back end.
  greedy,
  /// *Any* candidate, kept or not, removes those that it outranks and suppresses: the boolean
  /// matrix of Oro et al. 2020 with its map and its reduce kernel (Algorithms 1 and 2). Keeps a
  /// subset of what greedy keeps. Work and memory are proportional to D_max^2.
  matrix,
  /// Keeps the same candidates as `matrix`, by the same predicate, without the matrix (Fast NMS of
  /// YOLACT).
  fast,
  /// Soft-NMS (Bodla et al. 2017): the candidate with the highest score is selected, of equal
  /// scores that with the lowest index; the scores of the candidates that overlap it decay; and so
  /// on until no score is >= soft.min_score. The selected candidates are kept, in the order of
  /// selection. A score is multiplied by its decays in the order of selection, in fp32
  /// (predicate.h).
  soft,
  /// OpenCV's groupRectangles with eps = 0.2: candidates that are similar form groups, and a group
  /// becomes one box. Made for detectors that find a face many times, as cascades do. See
  /// GroupOptions.
  groups,
};

/// The measure of overlap of two candidates, of which the winner outranks the loser. The winner
/// suppresses the loser if the measure exceeds the threshold; equality is not enough. Boxes are
/// half-open, without "+1 pixel". Arithmetic is fp32, rounded to nearest, without contraction, in
/// the order written in predicate.h, so that the results of all back ends are equal bit for bit.
enum class NmsOverlap : std::uint8_t {
  iou,   ///< inter / union, tested as inter > t * union
  diou,  ///< IoU - d^2 / c^2 (Zheng et al. 2020): d the distance of the centres, c the diagonal
         ///< of the bounding box of both
  winner_area,   ///< inter / area(winner), as published by Oro et al.: not symmetric
  smaller_area,  ///< inter / the smaller area, as detectors of channel features have it (Dollar et
                 ///< al. 2014): removes boxes that lie within others
};

/// By what a score is multiplied for the IoU with a selected candidate (rule soft).
enum class SoftDecay : std::uint8_t {
  linear,    ///< 1 - IoU if IoU > threshold, else 1
  gaussian,  ///< exp(-IoU^2 / sigma); the threshold is not used
};

struct SoftOptions {
  SoftDecay decay = SoftDecay::gaussian;
  float sigma = 0.5F;       ///< > 0, gaussian only
  float min_score = 0.02F;  ///< > 0: candidates with a lower score are not selected
  friend bool operator==(const SoftOptions&, const SoftOptions&) = default;
};

/// Options of the rule `matrix`, by the names of the paper. squares and plus_one are errors with
/// any other rule.
struct MatrixOptions {
  std::uint32_t d_max = 4096;  ///< rows and columns of the matrix, 1..16384; the largest capacity
  std::uint32_t k = 32;   ///< partitions of a row's reduction by d_max / k threads, at most 1,024
  bool squares = false;   ///< a box becomes a square with its top left corner and its longer side
  bool plus_one = false;  ///< sides are one pixel longer, as published; boxes that touch overlap
  friend bool operator==(const MatrixOptions&, const MatrixOptions&) = default;
};

/// The rule groups, which has no overlap but iou, no threshold and no voting, and for which scores
/// matter only in that NaN is invalid.
/// * Boxes are rounded to whole pixels: x1, y1, width and height each to the nearest, halves to
///   even. A candidate whose width or height rounds to 0, or with a corner more than 2^23 pixels
///   from an axis, is invalid.
/// * Two boxes are similar if their left, top, right and bottom edges differ by at most 0.1 times
///   the sum of the lesser width and the lesser height each (similar.h).
/// * A group is a connected component of similar boxes, of n. Its box is the mean: of x1, y1, width
///   and height the sum as fp32, times the fp32 quotient 1 / n, rounded as above.
/// * A group of n <= min_neighbours goes.
/// * A group of n also goes if its box lies within that of another group, of m > min_neighbours,
///   grown by a fifth of its width (rounded) to the left and to the right, and by a fifth of its
///   height above and below, where m > n or n < 3 (in OpenCV's words m > max(3, n) or n < 3, which
///   is the same); whether that other one goes so too doesn't matter.
/// * A kept group's index is the lowest of its candidates, its score n / (n + min_neighbours). By
///   that score groups are ranked, equal ones by index.
struct GroupOptions {
  std::uint32_t min_neighbours = 3;  ///< 1..65536; detectMultiScale's minNeighbors
  friend bool operator==(const GroupOptions&, const GroupOptions&) = default;
};

struct NmsOptions {
  NmsRule rule = NmsRule::greedy;
  NmsOverlap overlap = NmsOverlap::iou;  ///< with the rules soft and groups iou alone
  float threshold = 0.3F;                ///< 0 <= threshold <= 1
  SoftOptions soft;
  MatrixOptions matrix;
  GroupOptions groups;
  /// Box voting: a kept box becomes the mean of itself and the boxes that joined it, weighted by
  /// score (scores <= 0 have no weight). Each removed candidate joins the highest ranked kept
  /// candidate that outranks and suppresses it; with the rules matrix and fast there may be none.
  /// Sums are in rank order, in fp32 (VoteSums in predicate.h), of the boxes as given, also with
  /// matrix.squares and plus_one. An error with the rules soft and groups.
  bool voting = false;
  friend bool operator==(const NmsOptions&, const NmsOptions&) = default;
};

/// Whether kept boxes are others than the candidates'.
[[nodiscard]] constexpr bool moves_boxes(const NmsOptions& options) {
  return options.voting || options.rule == NmsRule::groups;
}
/// Whether kept scores are others than the candidates'.
[[nodiscard]] constexpr bool changes_scores(const NmsOptions& options) {
  return options.rule == NmsRule::soft || options.rule == NmsRule::groups;
}

/// Candidates on the host, in any order.
struct NmsCandidates {
  std::span<const Box> boxes;
  std::span<const float> scores;  ///< one for each box
};

/// Kept candidates on the host. The spans point to the suppressor's memory and are valid until its
/// next call.
struct NmsKept {
  std::span<const std::uint32_t> indices;  ///< in rank order (soft: in the order of selection)
  std::span<const Box> boxes;  ///< voting: one for each index, moved; groups: the means; or empty
  std::span<const float> scores;  ///< soft: one for each index, decayed; groups: theirs; or empty
  /// The number of candidates with index >= capacity, which were not looked at.
  std::uint32_t beyond_capacity = 0;
};

/// The largest capacity of a suppressor.
inline constexpr std::uint32_t kMaxNmsCapacity = 65536;
inline constexpr std::uint32_t kMaxMatrixSide = 16384;

/// Throws std::invalid_argument, naming the option, if options contradict each other, lie outside
/// of their ranges, or don't fit the capacity.
void check_nms_options(const NmsOptions& options, std::uint32_t capacity);

/// Names as on the command line: greedy, matrix, fast, soft, opencv-groups; iou, diou, winner-area,
/// smaller-area; linear, gaussian.
[[nodiscard]] std::string_view name_of(NmsRule rule);
[[nodiscard]] std::string_view name_of(NmsOverlap overlap);
[[nodiscard]] std::string_view name_of(SoftDecay decay);

}  // namespace facepipe::nms
