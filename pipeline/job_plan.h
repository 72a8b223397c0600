// Holds the decisions about one input. They are made before any thread starts and never change.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/copies.h"
#include "pipeline/flight_limits.h"
#include "pipeline/hide/hiding.h"
#include "pipeline/job_options.h"
#include "pipeline/job_result.h"
#include "pipeline/lanes/lane.h"
#include "video/frames/frame_maker.h"
#include "video/notices.h"
#include "video/read/demuxer.h"
#include "video/read/first_picture.h"
#include "video/read/source.h"
#include "video/write/muxer.h"
#include "video/write/streams.h"

namespace facepipe::pipeline {

/// Says how the video is written.
struct OutputPlan {
  video::MuxerOptions muxer;
  std::vector<video::StreamPlan> streams;  ///< one for each stream of the input
  video::EncoderSetup encoder;
};

/// Says how lanes decode.
struct DecodingPlan {
  video::DecoderOptions options;
  video::DecoderChoice choice = video::DecoderChoice::automatic;
};

struct JobPlan {
  FlightLimits limits;
  LanePlan lanes;
  DecodingPlan decoding;
  video::FrameTarget frames;
  std::optional<OutputPlan> output;  ///< nullopt if no video is written
  std::optional<PartJob> part;       ///< JobOptions::part
};

/// Returns whether several lanes, of this job or of several jobs, use the device at the same time.
[[nodiscard]] bool several_lanes(const JobOptions& options, const LanePlan& lanes);

/// Returns whether the output gets this packet. The packet belongs to a stream that isn't the
/// video.
[[nodiscard]] bool wants_packet(const JobPlan& plan, const video::Demuxer& demuxer,
                                const video::Decoder& decoder, const AVPacket& packet);

/// Adds a notice if the stream is changed or lost. Errors: Error(output) if it is lost and the user
/// allows no loss (OutputOptions::strict).
void note_stream(const video::StreamPlan& stream, const OutputPlan& output,
                 video::Notices& notices);

/// Adds a notice if the packet's stream appeared only after the streams were planned, because the
/// output doesn't contain such a stream. Errors: Error(output) if the user allows no loss.
void note_late_stream(const JobPlan& plan, const video::Demuxer& demuxer, const AVPacket& packet,
                      video::Notices& notices);

/// Returns the number of frames to expect in the chosen range; 0 if unknown.
[[nodiscard]] std::int64_t expected_frames(const video::Demuxer& demuxer,
                                           const JobOptions& options);

/// An input that is open and was read up to its first frame.
struct OpenInput {
  /// Gives the packets that come after those in `begin`.
  std::unique_ptr<video::Source> source;
  /// The packets and the picture that were read so far. If there was a picture, it is moved to
  /// `first`, and the decoder is moved to the first lane.
  video::FirstPicture begin;
  /// So many packets of the video come before those in `begin`: a part may begin far behind the
  /// first picture.
  std::int64_t packets_before = 0;
  /// Hides faces on the first lane's device; nullptr if faces are drawn. It outlives the lanes.
  std::unique_ptr<Hiding> hiding;
  /// The lanes with the parts made so far; only the job's own lane if lanes are shared.
  std::vector<LaneParts> lanes;
  video::UniqueAVFrame picture;  ///< the first picture; set only if lanes may join later
  /// The first frame; nullopt if the run was stopped before it. A single lane continues with its
  /// decoder after this frame. Several lanes decode everything again: `begin.packets` are then all
  /// packets from the start.
  std::optional<video::DecodedFrame> first;

  [[nodiscard]] video::Demuxer& demuxer() const { return source->demuxer(); }
};

/// A job before its threads start. If a device fails while lanes are prepared, the job loses the
/// lanes of this device, and a notice says so. If the first lane's device fails, the job fails.
struct PlannedJob {
  JobPlan plan;
  OpenInput input;
};

/// Collects notices and copy counts from the parts of a job. Both members outlive these parts.
/// Thread-safe.
struct JobDiagnostics {
  video::Notices& notices;
  CopyCounter& copies;
};

}  // namespace facepipe::pipeline
