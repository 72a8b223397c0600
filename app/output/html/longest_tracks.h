// Finds the longest tracks of a video, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace facepipe::app {

/// Says when a track was seen.
struct TrackBar {
  std::int64_t id = 0;
  double from_s = 0;
  double to_s = 0;
  float best_score = 0;
  [[nodiscard]] double length_s() const { return to_s - from_s; }
};

/// Gets the faces of all frames in order. It keeps at most some thousand tracks: the longest ones,
/// and those that were seen last. Not thread-safe.
class LongestTracks {
 public:
  /// Adds a face of a track. Does nothing if the time is not finite.
  void add(std::int64_t track, double time_s, float score);

  /// Returns how many tracks there were.
  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Returns the longest tracks, in the order of their beginnings.
  [[nodiscard]] std::vector<TrackBar> longest(std::size_t most) const;

 private:
  void forget_short_ones();

  std::map<std::int64_t, TrackBar> tracks_;
  std::int64_t count_ = 0;
};

}  // namespace facepipe::app
