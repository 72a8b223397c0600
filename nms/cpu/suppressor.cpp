#include "nms/cpu/suppressor.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "nms/arena.h"
#include "nms/cpu/collect.h"
#include "nms/cpu/grid_plan.h"
#include "nms/cpu/groups.h"
#include "nms/cpu/kept_grid.h"
#include "nms/cpu/rank_sort.h"
#include "nms/cpu/soft.h"
#include "nms/cpu/sweep.h"
#include "nms/cpu/voting.h"
#include "nms/predicate.h"

namespace facepipe::nms {
namespace {

/// Holds all arrays of a suppressor. Arrays that the options don't need are empty.
struct Scratch {
  Scratch(Arena& arena, const NmsOptions& options, std::uint32_t capacity)
      : keys(arena.take<std::uint32_t>(groups(options) ? 0 : capacity + kCollectPadding)),
        indices(arena.take<std::uint32_t>(groups(options) ? 0 : capacity + kCollectPadding)),
        ranked(arena.take<std::uint32_t>(sweeps(options) ? capacity : 0)),
        kept(arena.take<std::uint32_t>(capacity)),
        rank_sort(arena, sweeps(options) ? capacity : 0),
        transformed(arena.take<Box>(transforms(options) ? capacity : 0)),
        centre_cells(arena.take<std::uint16_t>(sweeps(options) ? capacity : 0)),
        grid(arena, sweeps(options) ? capacity : 0),
        votes(arena, options.voting ? capacity : 0),
        moved(arena.take<Box>(moves_boxes(options) ? capacity : 0)),
        live(arena, softens(options) ? capacity : 0),
        grouping(arena, groups(options) ? capacity : 0),
        scores(arena.take<float>(sweeps(options) ? 0 : capacity)) {}

  static bool softens(const NmsOptions& options) { return options.rule == NmsRule::soft; }
  static bool groups(const NmsOptions& options) { return options.rule == NmsRule::groups; }
  static bool sweeps(const NmsOptions& options) { return !softens(options) && !groups(options); }
  static bool transforms(const NmsOptions& options) {
    return options.matrix.squares || options.matrix.plus_one;
  }

  std::uint32_t* keys;
  std::uint32_t* indices;  // indices of valid candidates, ascending
  std::uint32_t* ranked;   // the same indices, by rank
  std::uint32_t* kept;
  RankSort rank_sort;
  Box* transformed;  // by index
  std::uint16_t* centre_cells;
  KeptGrid grid;
  VoteScratch votes;
  Box* moved;  // in the order of `kept`
  SoftScratch live;
  GroupScratch grouping;
  float* scores;  // in the order of `kept`
};

std::size_t bytes_of(const NmsOptions& options, std::uint32_t capacity) {
  Arena counting;
  const Scratch scratch(counting, options, capacity);
  return counting.used();
}

}  // namespace

class CpuSuppressor::Impl {
 public:
  Impl(const NmsOptions& options, std::uint32_t capacity)
      : options_(options),
        capacity_(capacity),
        block_(make_block(bytes_of(options, capacity))),
        arena_(block_.get()),
        scratch_(arena_, options, capacity) {}

  NmsKept run(const NmsCandidates& candidates);

  [[nodiscard]] const NmsOptions& options() const { return options_; }
  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }

 private:
  void check(const NmsCandidates& candidates);
  void collect();
  void transform();
  std::uint32_t keep();
  // Each of these functions decides about all valid candidates. It writes the kept candidates to
  // `kept`, their boxes to `moved` and their scores to `scores`, and returns their number.
  // keep_groups() needs no collect() before it.
  std::uint32_t keep_softened();
  std::uint32_t keep_swept();
  std::uint32_t keep_groups();
  void lay_out_grid();
  [[nodiscard]] NmsKept result(std::uint32_t kept) const;

  NmsOptions options_;
  std::uint32_t capacity_;
  Block block_;
  Arena arena_;
  Scratch scratch_;

  // These are the state of the current call.
  NmsCandidates candidates_;
  const Box* compared_ = nullptr;  // by index
  std::uint32_t looked_at_ = 0;
  Collected found_;
};

NmsKept CpuSuppressor::Impl::run(const NmsCandidates& candidates) {
  check(candidates);
  return result(keep());
}

std::uint32_t CpuSuppressor::Impl::keep() {
  if (Scratch::groups(options_)) return keep_groups();
  collect();
  return Scratch::softens(options_) ? keep_softened() : keep_swept();
}

void CpuSuppressor::Impl::check(const NmsCandidates& candidates) {
  const std::size_t size = candidates.boxes.size();
  if (candidates.scores.size() != size)
    throw Error(ErrorKind::internal, "NMS: the numbers of boxes and scores differ");
  candidates_ = candidates;
  looked_at_ = static_cast<std::uint32_t>(std::min<std::size_t>(size, capacity_));
}

void CpuSuppressor::Impl::collect() {
  found_ = nms::collect(candidates_.boxes.data(), candidates_.scores.data(), looked_at_,
                        scratch_.keys, scratch_.indices);
  compared_ = candidates_.boxes.data();
  if (Scratch::transforms(options_)) transform();
}

// In the paper, a box of width z counts as z + 1 pixels wide, and boxes that only touch overlap.
// The rule `matrix` does this only if MatrixOptions::plus_one is true.
void CpuSuppressor::Impl::transform() {
  for (std::uint32_t i = 0; i < looked_at_; ++i)
    scratch_.transformed[i] =
        matrix_box(candidates_.boxes[i], options_.matrix.squares, options_.matrix.plus_one);
  compared_ = scratch_.transformed;
}

std::uint32_t CpuSuppressor::Impl::keep_softened() {
  return soften({candidates_.boxes.data(), candidates_.scores.data(), scratch_.indices,
                 found_.count, options_.threshold, options_.soft},
                scratch_.live, scratch_.kept, scratch_.scores);
}

std::uint32_t CpuSuppressor::Impl::keep_swept() {
  scratch_.rank_sort.sort(scratch_.keys, scratch_.indices, found_.count, found_.lowest_key,
                          found_.highest_key, scratch_.ranked);
  lay_out_grid();
  // The sweep also implements `matrix` and `fast`. The paper reduces a row of its matrix by AND,
  // which gives 0 if any stronger candidate suppresses the row's candidate. The sweep computes the
  // same result without a matrix. So it needs no padding rows (the paper's tests for z = 0), and no
  // elements that are first set to 1. It never accesses memory beyond d_max, and it doesn't always
  // take d_max^2 steps. By the paper's text, two candidates of equal scores both survive. Here the
  // candidate of lower index wins, as with all rules.
  const std::uint32_t kept =
      sweep({compared_, scratch_.centre_cells, scratch_.ranked, found_.count, options_.overlap,
             options_.threshold, options_.rule != NmsRule::greedy},
            scratch_.grid, scratch_.kept);
  if (options_.voting)
    vote({candidates_.boxes.data(), compared_, candidates_.scores.data(), scratch_.ranked,
          found_.count, scratch_.kept, kept, options_.overlap, options_.threshold},
         scratch_.votes, scratch_.moved);
  return kept;
}

std::uint32_t CpuSuppressor::Impl::keep_groups() {
  return group({candidates_.boxes.data(), candidates_.scores.data(), looked_at_,
                options_.groups.min_neighbours},
               scratch_.grouping, {scratch_.kept, scratch_.moved, scratch_.scores});
}

void CpuSuppressor::Impl::lay_out_grid() {
  const GridPlan plan = plan_grid(found_);
  if (!plan.single()) find_centre_cells(compared_, looked_at_, plan, scratch_.centre_cells);
  scratch_.grid.reset(plan);
}

NmsKept CpuSuppressor::Impl::result(std::uint32_t kept) const {
  NmsKept out;
  out.indices = {scratch_.kept, kept};
  if (moves_boxes(options_)) out.boxes = {scratch_.moved, kept};
  if (changes_scores(options_)) out.scores = {scratch_.scores, kept};
  out.beyond_capacity = static_cast<std::uint32_t>(candidates_.boxes.size() - looked_at_);
  return out;
}

CpuSuppressor::CpuSuppressor(const NmsOptions& options, std::uint32_t capacity) {
  check_nms_options(options, capacity);
  impl_ = std::make_unique<Impl>(options, capacity);
}
CpuSuppressor::~CpuSuppressor() = default;
CpuSuppressor::CpuSuppressor(CpuSuppressor&&) noexcept = default;
CpuSuppressor& CpuSuppressor::operator=(CpuSuppressor&&) noexcept = default;

NmsKept CpuSuppressor::run(const NmsCandidates& candidates) { return impl_->run(candidates); }
const NmsOptions& CpuSuppressor::options() const { return impl_->options(); }
std::uint32_t CpuSuppressor::capacity() const { return impl_->capacity(); }

std::size_t CpuSuppressor::scratch_bytes(const NmsOptions& options, std::uint32_t capacity) {
  check_nms_options(options, capacity);
  return bytes_of(options, capacity);
}

}  // namespace facepipe::nms
