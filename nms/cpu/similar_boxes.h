// All pairs of similar boxes, without comparing each with each.
#pragma once

#include <cstdint>

#include "nms/cpu/box_grid.h"
#include "nms/similar.h"

namespace facepipe::nms {

/// Boxes with ids 0..capacity - 1, each at most once. Equal boxes are one entry.
class SimilarBoxes {
 public:
  SimilarBoxes(Arena& arena, std::uint32_t capacity)
      : grid_(arena, capacity), entry_of_(arena.take<std::uint32_t>(capacity)) {}

  void clear() { grid_.clear(); }
  void add(const WholeBox& box, std::uint32_t id) { grid_.add(box, id); }
  /// To be called when all are added, before what follows.
  void settle() {
    grid_.sort();
    grid_.merge_equal(entry_of_);
  }

  [[nodiscard]] std::uint32_t entries() const { return grid_.count(); }
  [[nodiscard]] const BoxGrid::Entry& entry(std::uint32_t position) const {
    return grid_.entry(position);
  }
  [[nodiscard]] std::uint32_t entry_of(std::uint32_t id) const { return entry_of_[id]; }

  /// Calls `visit(a, b)` once for each pair of entries that are similar to each other.
  template <class Visit>
  void for_each_pair(const Visit& visit) const {
    for (std::uint32_t a = 0; a < grid_.count(); ++a)
      for_each_similar(a, [&](std::uint32_t b) { visit(a, b); });
  }

 private:
  // Those after `a` only. Classes ascend with positions, so that `a` is of the lesser class, if
  // they differ, and its size says how far the edges may differ. Both sides differ by at most twice
  // as much as an edge, so that sizes differ by at most four times as much.
  template <class Visit>
  void for_each_similar(std::uint32_t a, const Visit& visit) const {
    const WholeBox& box = grid_.entry(a).box;
    const int size = box.width + box.height;
    const int most = most_difference(size);
    const unsigned last = BoxGrid::class_of(size + 4 * most);
    for (unsigned size_class = BoxGrid::class_of(size); size_class <= last; ++size_class)
      static_cast<void>(grid_.any(size_class, {box.x - most, box.x + most},
                                  {box.y - most, box.y + most}, [&](std::uint32_t b) {
                                    if (b > a && similar(box, grid_.entry(b).box)) visit(b);
                                    return false;  // go on
                                  }));
  }

  BoxGrid grid_;
  std::uint32_t* entry_of_;
};

}  // namespace facepipe::nms
