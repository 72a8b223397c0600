// Decides how much of an input may be in memory at the same time: packets, frames, and lanes.
#pragma once

#include <cstdint>

#include "pipeline/backend.h"
#include "pipeline/job_options.h"
#include "video/read/demuxer.h"

namespace facepipe::pipeline {

/// Limits the packets and frames that wait between the stages of a run. Feed
/// (pipeline/lanes/feed.cpp) limits the packets of a segment, OutputQueue limits the bytes for the
/// output file, and codecs have limits, too.
struct FlightLimits {
  /// Packets that may wait for the decoder, and packets that may wait for the muxer. They keep the
  /// decoder busy while the disk is slow. FrameTimes::total_ms() includes these waits.
  int packets = 8;
  /// Frames of a lane between decoder and encoder. The user can choose this number. To limit the
  /// memory, the frames have at most 2^27 pixels together. A still image has one frame. With fewer
  /// than two frames the stages of a single lane could not work at the same time.
  int frames = 4;
  /// Limits for hiding; used only if faces are hidden. With several lanes, all held frames together
  /// fit into HideJob::most_bytes. Frames that wait for a verdict don't count as `frames`.
  HideCapacity hiding;
  int max_held_later_segments = 0;  ///< TrackQueue::Limits::max_held_later_segments
  /// Bytes of finished frames that wait until earlier segments are finished.
  std::int64_t bytes_behind = std::int64_t{1} << 30;
  /// Frames of each lane that are alive at the same time: `frames`, the frames that the device's
  /// encoder keeps, one frame that is being decoded, and one frame that waits to enter the lane.
  int frames_alive = 6;
};

/// Returns the limits for one lane.
[[nodiscard]] FlightLimits flight_limits(const JobOptions& options, const video::Demuxer& demuxer,
                                         const Backend& backend);

/// Returns FlightLimits::frames for each of several lanes. Use it if the user gave no number.
[[nodiscard]] int frames_of_each_lane(const JobOptions& options);

/// Returns the number of frames in the look-ahead.
[[nodiscard]] int frames_ahead(const HideJob& hide, const video::Demuxer& demuxer);

/// Divides memory among the frames of several lanes that hide faces. In each lane, frames wait
/// until the tracker comes to their segment.
class LaneRoom {
 public:
  /// @param limits  for one lane
  /// @param memory  bytes for the frames that wait; jobs that share lanes divide it equally
  LaneRoom(const JobOptions& options, const video::Demuxer& demuxer, const FlightLimits& limits,
           std::int64_t memory);

  /// Returns for how many lanes the memory is enough; at least one.
  [[nodiscard]] int lanes() const;
  /// Sets the limits of hiding for `lanes` lanes, at least two.
  void give(int lanes, FlightLimits& limits) const;

 private:
  int frames_;   // frames for which there is memory
  int of_head_;  // how many of these are reserved for the segment that is tracked next
};

/// Returns how many bytes of a device's free memory waiting frames of lanes may use.
[[nodiscard]] std::int64_t lent_by_device(const Backend& backend);

}  // namespace facepipe::pipeline
