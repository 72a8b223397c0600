// Assigns each frame of a hidden video, by its time, to the frame of the original that it shows.
#pragma once

#include <cstdint>
#include <optional>

namespace facepipe::verify {

/// Time stamps count as equal if they differ by at most this, because Matroska rounds them to the
/// millisecond.
inline constexpr double kSameTime_s = 0.001;

enum class Meeting : std::uint8_t {
  pair,     ///< the two frames show the same moment
  missing,  ///< the original's frame is not in the hidden video
  extra     ///< the hidden video's frame is not in the original
};

/// Holds the times, in seconds, of the original's next frame and its neighbours, and of the hidden
/// video's next frame. A time is nullopt where there is no such frame.
struct NextFrames {
  std::optional<double> before;  ///< the frame of the original before `original`
  std::optional<double> original;
  std::optional<double> after;  ///< the frame of the original after `original`
  std::optional<double> hidden;
};

/// Decides whether the two next frames are a pair. At least one of `original` and `hidden` must be
/// set. A frame of the hidden video belongs to the original's frame that is nearest in time.
/// Therefore a missing frame doesn't shift the pairs of later frames.
[[nodiscard]] Meeting meet(const NextFrames& next);

/// Counts the frames that differ in one way, and holds where the first of them is.
struct FrameDifference {
  std::int64_t count = 0;
  double first_s = 0;
  std::int64_t first_frame = 0;  ///< number of the original's frame

  void add(double time_s, std::int64_t frame) {
    if (count++ > 0) return;
    first_s = time_s;
    first_frame = frame;
  }
};

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
