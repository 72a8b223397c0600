// Which frame of a hidden video shows which frame of its original: by their times.
#pragma once

#include <cstdint>
#include <optional>

namespace facepipe::verify {

/// Stamps that differ by no more are equal: Matroska's are rounded to the millisecond.
inline constexpr double kSameTime_s = 0.001;

enum class Meeting : std::uint8_t {
  pair,     ///< the two show one moment
  missing,  ///< the original's frame is not in the hidden video
  extra     ///< the hidden video's frame is not in the original
};

/// The original's next frame, its neighbours, and the hidden video's next frame, in seconds. None
/// is where a video begins or has ended.
struct NextFrames {
  std::optional<double> before;  ///< the original's frame that went before
  std::optional<double> original;
  std::optional<double> after;  ///< the original's frame that follows
  std::optional<double> hidden;
};

/// One of `original` and `hidden` at least is there. A frame of the hidden video belongs to the
/// original's frame that is nearest in time, so that one that is missing doesn't shift all others.
[[nodiscard]] Meeting meet(const NextFrames& next);

/// A difference of frames, counted, and where it was first.
struct FrameDifference {
  std::int64_t count = 0;
  double first_s = 0;
  std::int64_t first_frame = 0;  ///< of the original

  void add(double time_s, std::int64_t frame) {
    if (count++ > 0) return;
    first_s = time_s;
    first_frame = frame;
  }
};

/// How the frames of two videos compare.
struct FrameComparison {
  std::int64_t pairs = 0;
  FrameDifference missing;
  FrameDifference extra;
  FrameDifference stamps;  ///< pairs whose times differ by more than kSameTime_s

  [[nodiscard]] bool equal() const {
    return missing.count == 0 && extra.count == 0 && stamps.count == 0;
  }
};

}  // namespace facepipe::verify
