// Non-maximum suppression: which of many overlapping candidates stand. The contract of all back
// ends; cpu/suppressor.h and cuda/suppressor.h hold them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/geometry.h"

namespace facepipe {

/// Which candidates a candidate falls to. Candidates are ranked by score descending, then index
/// ascending; -0 and +0 are one score. A candidate with NaN in its box or score, or with width or
/// height <= 0, is invalid: it is dropped, and suppresses nothing.
enum class NmsRule : std::uint8_t {
  /// Falls to a *kept* candidate that outranks and suppresses it. Exact, whatever the back end.
  greedy,
  /// Falls to *any* candidate that outranks and suppresses it, be that one kept or not: the boolean
  /// matrix with a map and a reduce kernel of Oro et al. 2020, Algorithms 1 and 2. Keeps a subset
  /// of what greedy keeps. Its work and memory are D_max^2.
  matrix,
  /// The same set as `matrix` by the same predicate (Fast NMS of YOLACT), without the matrix.
  fast,
  /// Soft-NMS (Bodla et al. 2017): each time the highest score is selected, and those of the
  /// candidates that overlap it decay. Kept: what is selected with a score >= soft.min_score, in
  /// the order of selection. A tie goes to the lower index. The decays of a candidate are
  /// multiplied into its score in the order of selection, in fp32 (predicate.h).
  soft,
};

/// The measure of overlap of a winner with a loser; the winner suppresses where it exceeds the
/// threshold, strictly. Boxes are half-open, without "+1 pixel".
/// All in fp32, rounded to nearest, no contraction, in the order written in predicate.h, so that
/// all back ends give the same answer bit for bit.
enum class NmsOverlap : std::uint8_t {
  iou,   ///< inter / union, tested as inter > t * union
  diou,  ///< IoU - d^2 / c^2 (Zheng et al. 2020): d between centres, c the enclosing diagonal
  winner_area,  ///< inter / area(winner), as published by Oro et al.; not symmetric
};

/// How a score falls by the IoU with a selected candidate (rule soft).
enum class SoftDecay : std::uint8_t {
  linear,    ///< times 1 - IoU where IoU > threshold
  gaussian,  ///< times exp(-IoU^2 / sigma), whatever the threshold
};

struct SoftOptions {
  SoftDecay decay = SoftDecay::gaussian;
  float sigma = 0.5F;       ///< > 0, gaussian only
  float min_score = 0.02F;  ///< > 0: a candidate below it is never selected
  friend bool operator==(const SoftOptions&, const SoftOptions&) = default;
};

/// Options of the rule `matrix`, by the paper's names; squares and plus_one go with no other rule.
struct MatrixOptions {
  std::uint32_t d_max = 4096;  ///< the matrix' side: 1..16384, and the largest capacity
  std::uint32_t k = 32;   ///< partitions of a row's reduction; d_max / k threads, at most 1,024
  bool squares = false;   ///< a box is its top left corner and a side of max(width, height)
  bool plus_one = false;  ///< sides are z + 1, as published; boxes that touch overlap
  friend bool operator==(const MatrixOptions&, const MatrixOptions&) = default;
};

struct NmsOptions {
  NmsRule rule = NmsRule::greedy;
  NmsOverlap overlap = NmsOverlap::iou;  ///< soft: iou only; winner_area: any rule but soft
  float threshold = 0.3F;                ///< 0 <= threshold <= 1
  SoftOptions soft;
  MatrixOptions matrix;
  /// A kept box becomes the mean of itself and the candidates that fell to it, weighted by score
  /// (scores <= 0 weigh nothing): each candidate that fell joins the highest ranked kept one that
  /// outranks and suppresses it; with `matrix` and `fast` some join none. Sums in rank order, in
  /// fp32 (predicate.h: VoteSums), of the boxes as given, also with matrix.squares and plus_one.
  /// Not with `soft`.
  bool voting = false;
  friend bool operator==(const NmsOptions&, const NmsOptions&) = default;
};

/// Candidates on the host, in any order.
struct NmsCandidates {
  std::span<const Box> boxes;
  std::span<const float> scores;  ///< as many
  /// Empty, or as many: candidates of different groups (frames, classes) don't see each other.
  std::span<const std::uint32_t> groups;
};

/// Kept candidates on the host; the spans are the suppressor's own, valid until its next call.
struct NmsKept {
  std::span<const std::uint32_t> indices;  ///< in rank order (soft: in the order of selection)
  std::span<const Box> boxes;              ///< voting: as many, moved; else empty
  std::span<const float> scores;           ///< soft: as many, decayed; else empty
  /// Candidates beyond the capacity: those with index >= capacity were not looked at.
  std::uint32_t beyond_capacity = 0;
};

/// Largest capacity that a suppressor can be made with.
inline constexpr std::uint32_t kMaxNmsCapacity = 65536;
inline constexpr std::uint32_t kMaxMatrixSide = 16384;

/// Throws std::invalid_argument, naming the option, where options contradict each other, lie
/// outside their ranges, or don't go with the capacity.
void check_nms_options(const NmsOptions& options, std::uint32_t capacity);

/// Names as on the command line: greedy, matrix, fast, soft; iou, diou, winner-area; linear,
/// gaussian.
[[nodiscard]] std::string_view name_of(NmsRule rule);
[[nodiscard]] std::string_view name_of(NmsOverlap overlap);
[[nodiscard]] std::string_view name_of(SoftDecay decay);

}  // namespace facepipe
