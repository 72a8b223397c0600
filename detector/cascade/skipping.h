// OpenCV's scan skips some windows: if a window fails in the first stage, the next window in its
// row is skipped. All devices do the same.
#pragma once

#include "core/host_device.h"

namespace facepipe::detector::cascade {

/// Returns a word of neighbouring places, in which a bit is set if the place is not skipped.
/// `failed` has a bit for each of these places. A place is not skipped if the run of failures
/// directly before it has an even length. `skip` is 0 or 1. On entry, it says whether the word's
/// first place is skipped; on return, whether the next word's first place is. The function uses an
/// addition in the same way as simdjson, which finds escaped characters with it (Langdale and
/// Lemire, "Parsing Gigabytes of JSON per Second", 2019).
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
