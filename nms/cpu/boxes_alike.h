// Finds all pairs of boxes that are alike, without comparing each box with each other box. The
// template parameter `Likeness` (Similar or Agreeing) says what "alike" means.
#pragma once

#include <algorithm>
#include <cstdint>

#include "nms/cpu/box_grid.h"
#include "nms/similar.h"

namespace facepipe::nms {

/// Boxes are alike if OpenCV's test similar() is true. reach() and largest() return bounds for
/// boxes that are alike to `box` and not in a lower size class. Each edge differs by at most
/// reach(). So the width and the height each differ by at most 2 * reach(), and the size (width +
/// height) by at most 4 * reach().
struct Similar {
  [[nodiscard]] static bool holds(const WholeBox& a, const WholeBox& b) { return similar(a, b); }
  /// Returns the largest possible difference of the left edges, and of the upper edges.
  [[nodiscard]] static int reach(const WholeBox& box) {
    return most_difference(box.width + box.height);
  }
  /// Returns the largest possible sum of width and height.
  [[nodiscard]] static int largest(const WholeBox& box) {
    return box.width + box.height + 4 * reach(box);
  }
};

/// Boxes are alike if their agreement() is not 0. Then their intersection is more than half as wide
/// and more than half as high as each of them. So widths and heights differ by less than a factor
/// of 2, and edges differ by less than half of the larger side.
struct Agreeing {
  [[nodiscard]] static bool holds(const WholeBox& a, const WholeBox& b) {
    return agreement(a, b) > 0;
  }
  [[nodiscard]] static int reach(const WholeBox& box) { return std::max(box.width, box.height); }
  [[nodiscard]] static int largest(const WholeBox& box) { return 2 * (box.width + box.height); }
};

/// Holds boxes with ids 0..capacity - 1, each at most once. Equal boxes share one entry.
template <class Likeness>
class BoxesAlike {
 public:
  BoxesAlike(Arena& arena, std::uint32_t capacity)
      : grid_(arena, capacity), entry_of_(arena.take<std::uint32_t>(capacity)) {}

  void clear() { grid_.clear(); }
  void add(const WholeBox& box, std::uint32_t id) { grid_.add(box, id); }
  /// Must be called after the last add(), and before the functions below.
  void sort() {
    grid_.sort();
    grid_.merge_equal(entry_of_);
  }

  [[nodiscard]] std::uint32_t entries() const { return grid_.count(); }
  [[nodiscard]] const BoxGrid::Entry& entry(std::uint32_t position) const {
    return grid_.entry(position);
  }
  [[nodiscard]] std::uint32_t entry_of(std::uint32_t id) const { return entry_of_[id]; }

  /// Calls `visit(a, b)` once for each pair of entries that are alike.
  template <class Visit>
  void for_each_pair(const Visit& visit) const {
    for (std::uint32_t a = 0; a < grid_.count(); ++a)
      for_each_after(a, [&](std::uint32_t b) { visit(a, b); });
  }

 private:
  // Calls `visit(b)` for each entry after `a` that is alike. Size classes ascend with positions, so
  // entry `b` is not in a lower class than `a`. reach() and largest() require this.
  template <class Visit>
  void for_each_after(std::uint32_t a, const Visit& visit) const {
    const WholeBox& box = grid_.entry(a).box;
    const int most = Likeness::reach(box);
    const unsigned last = BoxGrid::class_of(Likeness::largest(box));
    for (unsigned size_class = BoxGrid::class_of(box.width + box.height); size_class <= last;
         ++size_class)
      static_cast<void>(grid_.any(size_class, {box.x - most, box.x + most},
                                  {box.y - most, box.y + most}, [&](std::uint32_t b) {
                                    if (b > a && Likeness::holds(box, grid_.entry(b).box)) visit(b);
                                    return false;  // go on
                                  }));
  }

  BoxGrid grid_;
  std::uint32_t* entry_of_;
};

}  // namespace facepipe::nms
