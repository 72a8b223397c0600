#include "nms/cpu/suppressor.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "nms/cpu/arena.h"
#include "nms/cpu/collect.h"
#include "nms/cpu/grid_plan.h"
#include "nms/cpu/kept_grid.h"
#include "nms/cpu/rank_sort.h"
#include "nms/cpu/soft.h"
#include "nms/cpu/sweep.h"
#include "nms/cpu/voting.h"
#include "nms/predicate.h"

namespace facepipe {
namespace {

using nms::Arena;

/// Every array of a suppressor; those that an option doesn't need have no slots.
struct Scratch {
  Scratch(Arena& arena, const NmsOptions& options, std::uint32_t capacity)
      : keys(arena.take<std::uint32_t>(capacity + nms::kCollectPadding)),
        indices(arena.take<std::uint32_t>(capacity + nms::kCollectPadding)),
        ranked(arena.take<std::uint32_t>(capacity)),
        by_group(arena.take<std::uint32_t>(capacity)),
        position(arena.take<std::uint32_t>(capacity)),
        kept(arena.take<std::uint32_t>(capacity)),
        kept_in_order(arena.take<std::uint32_t>(capacity)),
        rank_sort(arena, capacity),
        transformed(arena.take<Box>(transforms(options) ? capacity : 0)),
        places(arena.take<std::uint16_t>(softens(options) ? 0 : capacity)),
        grid(arena, softens(options) ? 0 : capacity),
        votes(arena, options.voting ? capacity : 0),
        moved(arena.take<Box>(options.voting ? capacity : 0)),
        moved_in_order(arena.take<Box>(options.voting ? capacity : 0)),
        live(arena, softens(options) ? capacity : 0),
        scores(arena.take<float>(softens(options) ? capacity : 0)),
        scores_in_order(arena.take<float>(softens(options) ? capacity : 0)) {}

  static bool softens(const NmsOptions& options) { return options.rule == NmsRule::soft; }
  static bool transforms(const NmsOptions& options) {
    return options.matrix.squares || options.matrix.plus_one;
  }

  std::uint32_t* keys;
  std::uint32_t* indices;   // of valid candidates, ascending
  std::uint32_t* ranked;    // the same by rank
  std::uint32_t* by_group;  // the same by group, and within it as before
  std::uint32_t* position;  // by index: 1 + where in `kept`, 0 if not kept
  std::uint32_t* kept;      // group by group
  std::uint32_t* kept_in_order;
  nms::RankSort rank_sort;
  Box* transformed;  // by index
  std::uint16_t* places;
  nms::KeptGrid grid;
  nms::VoteScratch votes;
  Box* moved;  // as `kept`
  Box* moved_in_order;
  nms::SoftScratch live;
  float* scores;  // as `kept`
  float* scores_in_order;
};

std::size_t bytes_of(const NmsOptions& options, std::uint32_t capacity) {
  Arena counting;
  const Scratch scratch(counting, options, capacity);
  return counting.used();
}

struct FreeBlock {
  void operator()(std::byte* block) const {
    ::operator delete[](block, std::align_val_t{Arena::kAlignment});
  }
};
using Block = std::unique_ptr<std::byte, FreeBlock>;
Block make_block(std::size_t bytes) {
  return Block(
      static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{Arena::kAlignment})));
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
  struct Segment {
    const std::uint32_t* indices;
    std::uint32_t count;
  };

  void collect(const NmsCandidates& candidates);
  void transform();
  /// Valid candidates as the rule takes them: by rank, for soft by index.
  Segment order();
  void lay_out_grid(std::uint32_t largest_segment);
  /// Appends what a segment keeps to `kept` and what goes with it.
  void keep(const Segment& segment);
  void keep_by_groups(const Segment& all);
  void order_kept(const Segment& all) const;
  void order_selected(const Segment& all);
  [[nodiscard]] NmsKept result(const std::uint32_t* kept, const Box* moved,
                               const float* scores) const;
  [[nodiscard]] bool softens() const { return Scratch::softens(options_); }

  NmsOptions options_;
  std::uint32_t capacity_;
  Block block_;
  Arena arena_;
  Scratch scratch_;

  // Of the present call.
  NmsCandidates candidates_;
  const Box* compared_ = nullptr;  // by index
  std::uint32_t looked_at_ = 0;
  nms::Collected found_;
  nms::GridPlan plan_;
  std::uint32_t kept_ = 0;
};

NmsKept CpuSuppressor::Impl::run(const NmsCandidates& candidates) {
  collect(candidates);
  const Segment all = order();
  kept_ = 0;
  if (candidates.groups.empty()) {
    lay_out_grid(all.count);
    keep(all);
    return result(scratch_.kept, scratch_.moved, scratch_.scores);
  }
  keep_by_groups(all);
  if (softens())
    order_selected(all);
  else
    order_kept(all);
  return result(scratch_.kept_in_order, scratch_.moved_in_order, scratch_.scores_in_order);
}

void CpuSuppressor::Impl::collect(const NmsCandidates& candidates) {
  const std::size_t size = candidates.boxes.size();
  if (candidates.scores.size() != size)
    throw std::invalid_argument("NMS: as many scores as boxes are needed");
  if (!candidates.groups.empty() && candidates.groups.size() != size)
    throw std::invalid_argument("NMS: as many groups as boxes are needed, or none");
  candidates_ = candidates;
  looked_at_ = static_cast<std::uint32_t>(std::min<std::size_t>(size, capacity_));
  found_ = nms::collect(candidates.boxes.data(), candidates.scores.data(), looked_at_,
                        scratch_.keys, scratch_.indices);
  compared_ = candidates.boxes.data();
  if (Scratch::transforms(options_)) transform();
}

// As published, a box is z + 1 pixels wide where z is its width, and boxes that only touch overlap:
// the matrix does so on demand, not by default.
void CpuSuppressor::Impl::transform() {
  for (std::uint32_t i = 0; i < looked_at_; ++i)
    scratch_.transformed[i] =
        nms::matrix_box(candidates_.boxes[i], options_.matrix.squares, options_.matrix.plus_one);
  compared_ = scratch_.transformed;
}

CpuSuppressor::Impl::Segment CpuSuppressor::Impl::order() {
  if (softens()) return {scratch_.indices, found_.count};
  scratch_.rank_sort.sort(scratch_.keys, scratch_.indices, found_.count, found_.lowest_key,
                          found_.highest_key, scratch_.ranked);
  return {scratch_.ranked, found_.count};
}

void CpuSuppressor::Impl::lay_out_grid(std::uint32_t largest_segment) {
  if (softens()) return;
  plan_ = nms::plan_grid(found_, largest_segment);
  if (!plan_.single()) nms::find_places(compared_, looked_at_, plan_, scratch_.places);
}

void CpuSuppressor::Impl::keep(const Segment& segment) {
  std::uint32_t* kept = scratch_.kept + kept_;
  if (softens()) {
    kept_ += nms::soften({candidates_.boxes.data(), candidates_.scores.data(), segment.indices,
                          segment.count, options_.threshold, options_.soft},
                         scratch_.live, kept, scratch_.scores + kept_);
    return;
  }
  const bool few = segment.count < nms::GridPlan::kFewestCandidates;
  scratch_.grid.reset(few ? nms::GridPlan{} : plan_);
  // Matrix and fast: the AND over a row of the paper's matrix is 0 where any stronger candidate
  // suppresses the row's. Without the matrix there are no padding rows that survive or kill (its
  // tests for z = 0), no cells that must be set to 1 first, no accesses beyond d_max, and no work
  // of d_max^2 whatever the count. By the paper's text equal scores both survive; here as by every
  // rule the lower index wins.
  const std::uint32_t count =
      nms::sweep({compared_, scratch_.places, segment.indices, segment.count, options_.overlap,
                  options_.threshold, options_.rule != NmsRule::greedy},
                 scratch_.grid, kept);
  if (options_.voting)
    nms::vote({candidates_.boxes.data(), compared_, candidates_.scores.data(), segment.indices,
               segment.count, kept, count, options_.overlap, options_.threshold},
              scratch_.votes, scratch_.moved + kept_);
  kept_ += count;
}

void CpuSuppressor::Impl::keep_by_groups(const Segment& all) {
  const std::uint32_t* groups = candidates_.groups.data();
  std::uint32_t lowest = ~std::uint32_t{0};
  std::uint32_t highest = 0;
  for (std::uint32_t i = 0; i < all.count; ++i) {
    const std::uint32_t group = groups[all.indices[i]];
    scratch_.keys[i] = group;
    lowest = std::min(lowest, group);
    highest = std::max(highest, group);
  }
  scratch_.rank_sort.sort(scratch_.keys, all.indices, all.count, lowest, highest,
                          scratch_.by_group);
  const auto end_of_group = [&](std::uint32_t begin) {
    std::uint32_t end = begin + 1;
    while (end < all.count && groups[scratch_.by_group[end]] == groups[scratch_.by_group[begin]])
      ++end;
    return end;
  };
  std::uint32_t largest = 0;
  for (std::uint32_t begin = 0, end = 0; begin < all.count; begin = end) {
    end = end_of_group(begin);
    largest = std::max(largest, end - begin);
  }
  lay_out_grid(largest);
  for (std::uint32_t begin = 0, end = 0; begin < all.count; begin = end) {
    end = end_of_group(begin);
    keep({scratch_.by_group + begin, end - begin});
  }
  for (std::uint32_t i = 0; i < all.count; ++i) scratch_.position[all.indices[i]] = 0;
  for (std::uint32_t k = 0; k < kept_; ++k) scratch_.position[scratch_.kept[k]] = k + 1;
}

void CpuSuppressor::Impl::order_kept(const Segment& all) const {
  std::uint32_t out = 0;
  for (std::uint32_t i = 0; i < all.count; ++i) {
    const std::uint32_t index = all.indices[i];
    const std::uint32_t position = scratch_.position[index];
    if (position == 0) continue;
    if (options_.voting) scratch_.moved_in_order[out] = scratch_.moved[position - 1];
    scratch_.kept_in_order[out++] = index;
  }
}

// Scores only fall, so each group selects in the order of final score, then index; and so do all
// groups together.
void CpuSuppressor::Impl::order_selected(const Segment& all) {
  std::uint32_t count = 0;
  std::uint32_t lowest = ~std::uint32_t{0};
  std::uint32_t highest = 0;
  for (std::uint32_t i = 0; i < all.count; ++i) {
    const std::uint32_t position = scratch_.position[all.indices[i]];
    if (position == 0) continue;
    const std::uint32_t key = nms::rank_key(scratch_.scores[position - 1]);
    scratch_.keys[count] = key;
    scratch_.ranked[count++] = position - 1;
    lowest = std::min(lowest, key);
    highest = std::max(highest, key);
  }
  scratch_.rank_sort.sort(scratch_.keys, scratch_.ranked, count, lowest, highest,
                          scratch_.by_group);
  for (std::uint32_t k = 0; k < count; ++k) {
    scratch_.kept_in_order[k] = scratch_.kept[scratch_.by_group[k]];
    scratch_.scores_in_order[k] = scratch_.scores[scratch_.by_group[k]];
  }
}

NmsKept CpuSuppressor::Impl::result(const std::uint32_t* kept, const Box* moved,
                                    const float* scores) const {
  NmsKept out;
  out.indices = {kept, kept_};
  if (options_.voting) out.boxes = {moved, kept_};
  if (softens()) out.scores = {scores, kept_};
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

}  // namespace facepipe
