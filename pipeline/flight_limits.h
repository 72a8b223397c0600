// Limits how much of an input may be on its way at once.
#pragma once

#include <cstdint>

#include "pipeline/backend.h"
#include "pipeline/job_options.h"
#include "video/read/demuxer.h"

namespace facepipe::pipeline {

/// How much may be on its way at once between the parts of a run. Other limits are: of a segment's
/// packets (pipeline/lanes/feed.cpp), of the file's bytes (OutputQueue), and each codec's own.
struct FlightLimits {
  /// Packets between reading and decoding, and between encoding and writing: enough to keep the
  /// decoder busy while the disk is slow. A frame's total time begins in the first of these queues.
  int packets = 8;
  /// Frames of a lane between decoder and encoder: as many as were asked for, but at most 2^27
  /// pixels together, which bounds the memory. A single lane has at least two, or nothing would
  /// overlap. A still image has one.
  int frames = 4;
  /// If faces are hidden. With several lanes they fit into HideJob::most_bytes together. The frames
  /// that wait are not among `frames`.
  HideCapacity hiding;
  int max_held_later_segments = 0;  ///< for TrackQueue::Limits
  /// Bytes of finished frames that wait for those of earlier segments.
  std::int64_t bytes_behind = std::int64_t{1} << 30;
  /// Frames of each lane that are alive at once: `frames`, those that the device's encoder keeps,
  /// one that is being decoded, and one on its way from the decoder to the queue.
  int frames_alive = 6;
};

/// Returns the limits for one lane.
[[nodiscard]] FlightLimits flight_limits(const JobOptions& options, const video::Demuxer& demuxer,
                                         const Backend& backend);

/// Returns FlightLimits::frames of each of several lanes, if the user asked for no number.
[[nodiscard]] int frames_of_each_lane(const JobOptions& options);

/// Returns the number of frames that the look-ahead needs.
[[nodiscard]] int frames_ahead(const HideJob& hide, const video::Demuxer& demuxer);

/// Room for the frames of several lanes that hide faces. Each lane's frames wait for their
/// segment's turn.
class LaneRoom {
 public:
  /// @param limits  for one lane
  /// @param memory  for the frames that wait, in bytes; jobs that share lanes share it, too
  LaneRoom(const JobOptions& options, const video::Demuxer& demuxer, const FlightLimits& limits,
           std::int64_t memory);

  /// Returns how many lanes there is room for, at least one.
  [[nodiscard]] int lanes() const;
  /// Gives the room to so many lanes, at least two.
  void give(int lanes, FlightLimits& limits) const;

 private:
  int frames_;
  int of_head_;  // frames of the segment whose turn it is
};

/// Returns how much of a device's free memory may be taken by frames that wait in lanes.
[[nodiscard]] std::int64_t lent_by_device(const Backend& backend);

}  // namespace facepipe::pipeline
