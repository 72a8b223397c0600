#include <array>
#include <string>

#include "core/error.h"
#include "nms/nms.h"

namespace facepipe::nms {
namespace {

constexpr std::uint32_t kMaxThreadsOfABlock = 1024;

struct Refusal {
  bool applies;
  const char* reason;
};

// Each comparison says what is valid and is then negated, so that NaN is refused, too.
std::array<Refusal, 4> general_refusals(const NmsOptions& options, std::uint32_t capacity) {
  return {{
      {!(options.threshold >= 0 && options.threshold <= 1), "threshold: must be from 0 to 1"},
      {capacity == 0 || capacity > kMaxNmsCapacity, "capacity: must be from 1 to 65536"},
      {options.rule != NmsRule::matrix && options.matrix.squares,
       "matrix.squares: works only with rule 'matrix'"},
      {options.rule != NmsRule::matrix && options.matrix.plus_one,
       "matrix.plus_one: works only with rule 'matrix'"},
  }};
}

std::array<Refusal, 4> soft_refusals(const NmsOptions& options) {
  const SoftOptions& soft = options.soft;
  return {{
      {options.overlap != NmsOverlap::iou, "overlap: rule 'soft' works only with 'iou'"},
      {options.voting, "voting: doesn't work with rule 'soft', which only lowers scores"},
      {!(soft.min_score > 0), "soft.min_score: must be above 0"},
      {soft.decay == SoftDecay::gaussian && !(soft.sigma > 0), "soft.sigma: must be above 0"},
  }};
}

std::array<Refusal, 4> matrix_refusals(const MatrixOptions& matrix, std::uint32_t capacity) {
  const bool d_max_fits = matrix.d_max >= 1 && matrix.d_max <= kMaxMatrixSide;
  const bool k_fits = matrix.k >= 1 && matrix.k <= matrix.d_max;
  return {{
      {!d_max_fits, "matrix.d_max: must be from 1 to 16384"},
      {capacity > matrix.d_max, "matrix.d_max: must not be below the capacity"},
      {!k_fits, "matrix.k: must be from 1 to d_max"},
      {k_fits && (matrix.d_max - 1) / matrix.k + 1 > kMaxThreadsOfABlock,
       "matrix.k: d_max / k must be at most 1024, the threads of a CUDA block"},
  }};
}

std::array<Refusal, 3> group_refusals(const NmsOptions& options) {
  const std::uint32_t least = options.groups.min_neighbours;
  return {{
      {options.overlap != NmsOverlap::iou, "overlap: rule 'opencv-groups' works only with 'iou'"},
      {options.voting,
       "voting: doesn't work with rule 'opencv-groups', which averages boxes itself"},
      {least < 1 || least > kMaxNmsCapacity, "groups.min_neighbours: must be from 1 to 65536"},
  }};
}

template <class Refusals>
void refuse_first(const Refusals& refusals) {
  for (const Refusal& refusal : refusals)
    if (refusal.applies) throw Error(ErrorKind::usage, std::string("NMS ") + refusal.reason);
}

}  // namespace

void check_nms_options(const NmsOptions& options, std::uint32_t capacity) {
  refuse_first(general_refusals(options, capacity));
  if (options.rule == NmsRule::soft) refuse_first(soft_refusals(options));
  if (options.rule == NmsRule::matrix) refuse_first(matrix_refusals(options.matrix, capacity));
  if (options.rule == NmsRule::groups) refuse_first(group_refusals(options));
}

std::string_view name_of(NmsRule rule) {
  switch (rule) {
    case NmsRule::greedy:
      return "greedy";
    case NmsRule::matrix:
      return "matrix";
    case NmsRule::fast:
      return "fast";
    case NmsRule::soft:
      return "soft";
    case NmsRule::groups:
      return "opencv-groups";
  }
  return "?";
}

std::string_view name_of(NmsOverlap overlap) {
  switch (overlap) {
    case NmsOverlap::iou:
      return "iou";
    case NmsOverlap::diou:
      return "diou";
    case NmsOverlap::winner_area:
      return "winner-area";
    case NmsOverlap::smaller_area:
      return "smaller-area";
  }
  return "?";
}

std::string_view name_of(SoftDecay decay) {
  switch (decay) {
    case SoftDecay::linear:
      return "linear";
    case SoftDecay::gaussian:
      return "gaussian";
  }
  return "?";
}

}  // namespace facepipe::nms
