// Sums up the frames of one input for the charts of its page.
#pragma once

#include "app/output/html/longest_tracks.h"
#include "app/output/html/series.h"
#include "core/frame_record.h"
#include "core/histogram.h"
#include "core/time_spans.h"
#include "core/timing.h"

namespace facepipe::app {

/// Takes at most some hundred KB for any number of frames. Not thread-safe. It has more than seven
/// members, because each belongs to one chart.
class RunSeries {
 public:
  /// @param start  when the work on the input began
  explicit RunSeries(Clock::time_point start = Clock::now()) : start_(start) {}

  /// Adds the next frame.
  void add(const FrameRecord& frame);

  /// Over the run's own time in seconds: 1 for each frame that was finished.
  [[nodiscard]] const Series& finished() const { return finished_; }
  /// Over the video's time: the latency of frames in ms, and their numbers of faces.
  [[nodiscard]] const Series& latency() const { return latency_; }
  [[nodiscard]] const Series& faces() const { return faces_; }
  /// The latencies of all frames in ms, and their percentiles.
  [[nodiscard]] const LogCounts& latencies() const { return latencies_; }
  [[nodiscard]] Percentiles latency_percentiles() const { return latency_ms_.percentiles(); }
  /// The shorter sides of the boxes, in pixels, and the scores of all faces.
  [[nodiscard]] const LogCounts& sizes() const { return sizes_; }
  [[nodiscard]] const Series& scores() const { return scores_; }
  [[nodiscard]] const LongestTracks& tracks() const { return tracks_; }
  /// When frames were damaged, in the video's time.
  [[nodiscard]] const TimeSpans& damaged() const { return damaged_; }

 private:
  void add_faces(const FrameRecord& frame);

  Clock::time_point start_;
  Series finished_{1.0 / 32};
  Series latency_{1.0 / 1024};
  Series faces_{1.0 / 1024};
  LogCounts latencies_;
  Histogram latency_ms_;
  LogCounts sizes_;
  Series scores_{1.0 / 64, 128};
  LongestTracks tracks_;
  TimeSpans damaged_;
};

}  // namespace facepipe::app
