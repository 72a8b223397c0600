// OpenCV's scan leaves out the window after each one in a row that fails in the first stage. All
// devices do the same.
#pragma once

#include "core/host_device.h"

namespace facepipe::detector::cascade {

/// Returns a word in which the bits of the places are set that are looked at. `failed` has one bit
/// for each of these neighbouring places. A place is looked at if the run of failures that ends
/// just before it has an even length. `skip` is 0 or 1: it tells whether the word's first place is
/// left out, and then whether the next word's first place is. The function uses an addition in the
/// way simdjson finds escaped characters (Langdale and Lemire, "Parsing Gigabytes of JSON per
/// Second", 2019).
template <typename Word>
[[nodiscard]] FACEPIPE_HOST_DEVICE inline Word looked_at(Word failed, Word& skip) {
  constexpr Word kEven = static_cast<Word>(~Word{0}) / 3;  // 0101...
  failed &= ~skip;
  const Word follows = failed << 1 | skip;
  const Word odd_starts = failed & ~kEven & ~follows;
  const Word sum = odd_starts + failed;
  skip = sum < failed ? 1 : 0;
  const Word skipped = (kEven ^ (sum << 1)) & follows;
  return ~skipped;
}

}  // namespace facepipe::detector::cascade
