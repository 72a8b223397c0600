// Keeps boxes sorted by size, row and column. So boxes of about the same size and position are
// found without looking at the others. All boxes are in one array, whose size depends only on the
// capacity.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "nms/arena.h"
#include "nms/similar.h"

namespace facepipe::nms {

/// The size of a box is the sum of its width and height; its position is its top left corner.
/// Corners must be in [-2^25, 2^25) and sizes in 1..2^27 - 1. This holds for valid boxes
/// (round_to_pixels()), and also after grown() of groups.cpp has enlarged them.
class BoxGrid {
 public:
  struct Entry {
    std::uint64_t key = 0;  // size class, row of cells, left edge
    WholeBox box;
    std::uint32_t id = 0;
    std::uint32_t times = 0;  // number of equal boxes that were merged into the entry
  };
  /// The first and the last value, both included.
  struct Range {
    int first;
    int last;
  };

  BoxGrid(Arena& arena, std::uint32_t capacity) : entries_(arena.take<Entry>(capacity)) {}

  void clear() { count_ = 0; }
  /// Adds a box. May be called at most `capacity` times after each clear(). The functions below may
  /// be called only after sort().
  void add(const WholeBox& box, std::uint32_t id);
  void sort();
  /// Merges equal boxes into one entry, which has their number and their lowest id. For each id,
  /// writes the position of its entry to entry_of[id]. Must be called after sort().
  void merge_equal(std::uint32_t* entry_of);

  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] const Entry& entry(std::uint32_t position) const { return entries_[position]; }

  /// The number of size classes. Sizes from n to 2n (an octave) have four classes.
  static constexpr unsigned kClasses = 27 * 4;
  [[nodiscard]] static unsigned class_of(int size);
  /// Returns an upper bound of the sizes in the class.
  [[nodiscard]] static int largest_size(unsigned size_class);

  /// Returns whether `test(position)` is true for any entry of the class whose left edge is in `xs`
  /// and whose top edge is in `ys`. `test` may also be called for other entries of the class. The
  /// function stops at the first true answer. Positions ascend in each row of cells.
  template <class Test>
  [[nodiscard]] bool any(unsigned size_class, Range xs, Range ys, const Test& test) const {
    const Entry* const end = entries_ + begins_[size_class + 1];
    const Entry* at = entries_ + begins_[size_class];
    if (at == end) return false;
    const std::uint64_t last_row = row_of(size_class, ys.last);
    for (std::uint64_t row = row_of(size_class, ys.first); row <= last_row; ++row) {
      const std::uint64_t last = key_of(size_class, row, xs.last);
      at = std::lower_bound(at, end, key_of(size_class, row, xs.first), is_before);
      for (; at != end && at->key <= last; ++at)
        if (test(static_cast<std::uint32_t>(at - entries_))) return true;
    }
    return false;
  }

 private:
  static constexpr unsigned kCoordinateBits = 26;
  [[nodiscard]] static std::uint64_t coordinate(int value);
  [[nodiscard]] static std::uint64_t row_of(unsigned size_class, int y);
  [[nodiscard]] static std::uint64_t key_of(unsigned size_class, std::uint64_t row, int x);
  [[nodiscard]] static bool is_before(const Entry& entry, std::uint64_t key) {
    return entry.key < key;
  }
  void find_classes();

  Entry* entries_;
  std::uint32_t count_ = 0;
  std::array<std::uint32_t, kClasses + 1> begins_{};  // the first position of each class
};

}  // namespace facepipe::nms
