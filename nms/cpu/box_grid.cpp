#include "nms/cpu/box_grid.h"

#include <bit>
#include <limits>
#include <tuple>

namespace facepipe::nms {
namespace {

// The upper bits of a positive float are its exponent and two bits of its fraction. Together they
// approximate its logarithm, in steps of a quarter of an octave.
constexpr unsigned kFractionBits = 21;
constexpr unsigned kClassOfOne = 127U << 2;

bool precedes(const BoxGrid::Entry& a, const BoxGrid::Entry& b) {
  const auto place = [](const BoxGrid::Entry& entry) {
    return std::tie(entry.key, entry.box.y, entry.box.width, entry.box.height, entry.id);
  };
  return place(a) < place(b);
}

}  // namespace

unsigned BoxGrid::class_of(int size) {
  return (std::bit_cast<std::uint32_t>(static_cast<float>(size)) >> kFractionBits) - kClassOfOne;
}

int BoxGrid::largest_size(unsigned size_class) {
  const std::uint32_t next = (size_class + 1 + kClassOfOne) << kFractionBits;
  return static_cast<int>(std::bit_cast<float>(next));
}

std::uint64_t BoxGrid::coordinate(int value) {
  constexpr int kEnd = 1 << (kCoordinateBits - 1);
  return static_cast<std::uint64_t>(std::clamp(value, -kEnd, kEnd - 1) + kEnd);
}

// A row of cells is a quarter to half as high as the size (width + height) of its boxes. So similar
// boxes lie in one or two rows, and the boxes that contain a box lie in a few rows.
std::uint64_t BoxGrid::row_of(unsigned size_class, int y) {
  const unsigned octave = size_class / 4;
  return coordinate(y) >> (octave < 1 ? 0 : octave - 1);
}

std::uint64_t BoxGrid::key_of(unsigned size_class, std::uint64_t row, int x) {
  return ((std::uint64_t{size_class} << kCoordinateBits | row) << kCoordinateBits) | coordinate(x);
}

void BoxGrid::add(const WholeBox& box, std::uint32_t id) {
  const unsigned size_class = class_of(box.width + box.height);
  const std::uint64_t key = key_of(size_class, row_of(size_class, box.y), box.x);
  entries_[count_++] = {key, box, id, 1};
}

void BoxGrid::sort() {
  std::sort(entries_, entries_ + count_, precedes);
  find_classes();
}

void BoxGrid::merge_equal(std::uint32_t* entry_of) {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Entry entry = entries_[i];
    if (kept > 0 && entries_[kept - 1].box == entry.box)
      ++entries_[kept - 1].times;
    else
      entries_[kept++] = entry;
    entry_of[entry.id] = kept - 1;
  }
  count_ = kept;
  find_classes();
}

void BoxGrid::find_classes() {
  std::uint32_t at = 0;
  for (unsigned size_class = 0; size_class <= kClasses; ++size_class) {
    const std::uint64_t first = key_of(size_class, 0, std::numeric_limits<int>::min());
    at = static_cast<std::uint32_t>(
        std::lower_bound(entries_ + at, entries_ + count_, first, is_before) - entries_);
    begins_[size_class] = at;
  }
}

}  // namespace facepipe::nms
