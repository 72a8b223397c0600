// Which windows of a row OpenCV's scan leaves out: the one after each that fails in the first
// stage. The same for all devices.
#pragma once

#include "core/host_device.h"

namespace facepipe::detector::cascade {

/// Bits of a word of `failed`, of places side by side, whose window is looked at: those before
/// which a run of failures of even length ends. `skip`, 0 or 1, tells whether the word's first
/// place is left out, and then whether the next word's is. By an addition, as simdjson finds
/// escaped characters (Langdale and Lemire, "Parsing Gigabytes of JSON per Second", 2019).
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
