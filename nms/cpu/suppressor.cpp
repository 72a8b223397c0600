#include "nms/cpu/suppressor.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "nms/arena.h"
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

/// All arrays of a suppressor. Those that the options don't need are empty.
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
        centre_cells(arena.take<std::uint16_t>(softens(options) ? 0 : capacity)),
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
  std::uint32_t* indices;   // those of valid candidates, ascending
  std::uint32_t* ranked;    // the same, by rank
  std::uint32_t* by_group;  // the same, by group; within a group in the order before
  std::uint32_t* position;  // by index: 1 + the position in `kept`, 0 if not kept
  std::uint32_t* kept;      // group by group
  std::uint32_t* kept_in_order;
  nms::RankSort rank_sort;
  Box* transformed;  // by index
  std::uint16_t* centre_cells;
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
  /// Valid candidates in the order that the rule needs: by index for soft, else by rank.
  Segment order();
  void lay_out_grid(std::uint32_t largest_segment);
  /// Decides the candidates of a segment. Appends the kept ones to `kept`, and their boxes and
  /// scores to the arrays in the same order.
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

  // State of the current call.
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

// In the paper a box of width z counts as z + 1 pixels wide, and boxes that only touch overlap. The
// rule matrix does so only if the options say it.
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
  if (!plan_.single()) nms::find_centre_cells(compared_, looked_at_, plan_, scratch_.centre_cells);
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
  // Matrix and fast: the paper reduces a row of its matrix by AND, which gives 0 if any stronger
  // candidate suppresses the row's. The sweep computes the same without a matrix, and so without
  // the paper's padding rows (its tests for z = 0), without elements that must be set to 1 first,
  // without accesses beyond d_max, and without work of d_max^2 for any number of candidates. By the
  // paper's text candidates of equal scores both survive; here the lower index wins, as by all
  // rules.
  const std::uint32_t count =
      nms::sweep({compared_, scratch_.centre_cells, segment.indices, segment.count,
                  options_.overlap, options_.threshold, options_.rule != NmsRule::greedy},
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

// Scores only fall, so each group selects by descending final score, then by ascending index.
// Sorting all selected candidates the same way gives the order in which all groups together would
// select.
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
