// What is decided about one input before any thread starts, and never changed later.
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

/// How the video is written.
struct OutputPlan {
  video::MuxerOptions muxer;
  std::vector<video::StreamPlan> streams;  ///< one for each stream of the input
  video::EncoderSetup encoder;
};

/// How lanes decode.
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
};

/// Whether the device works on more than one lane at once, of this job or of several.
[[nodiscard]] bool several_lanes(const JobOptions& options, const LanePlan& lanes);

/// Tells whether a packet of another stream than the video goes into the output.
[[nodiscard]] bool wants_packet(const JobPlan& plan, const video::Demuxer& demuxer,
                                const video::Decoder& decoder, const AVPacket& packet);

/// Tells what becomes of a stream, if it isn't kept as it is. Errors: Error(output) if nothing may
/// be lost.
void tell_stream(const video::StreamPlan& stream, const OutputPlan& output,
                 video::Notices& notices);

/// Tells of the packet's stream if that wasn't there when streams were planned, because the output
/// has no place for it. Errors: Error(output) if nothing may be lost.
void tell_late_stream(const JobPlan& plan, const video::Demuxer& demuxer, const AVPacket& packet,
                      video::Notices& notices);

/// The number of frames to expect in the chosen range; 0 if unknown.
[[nodiscard]] std::int64_t expected_frames(const video::Demuxer& demuxer,
                                           const JobOptions& options);

/// An input, opened and read up to its first frame.
struct OpenInput {
  /// Gives the packets that come after `begin`.
  std::unique_ptr<video::Source> source;
  /// Without its picture, which has become `first`, and without its decoder, which the first lane
  /// has, if there is a picture.
  video::FirstPicture begin;
  /// Hides faces on the first lane's device; nullptr if faces are drawn. It outlives the lanes.
  std::unique_ptr<Hiding> hiding;
  /// The lanes as far as they are made; only the job's own if lanes are shared.
  std::vector<LaneParts> lanes;
  video::UniqueAVFrame picture;  ///< the first one, if lanes may join
  /// The first frame; nullopt if the run was stopped before it. If there is one lane, its decoder
  /// has gone on from here. Several lanes get `begin.packets`, which are then all from the first
  /// on.
  std::optional<video::DecodedFrame> first;

  [[nodiscard]] video::Demuxer& demuxer() const { return source->demuxer(); }
};

/// A device that fails while lanes are made ready loses its lanes, and a notice says so. The device
/// of the first lane fails the job.
struct PlannedJob {
  JobPlan plan;
  OpenInput input;
};

/// Where the parts of a job leave what they tell on their way. Both outlive the parts. Thread-safe.
struct JobDiagnostics {
  video::Notices& notices;
  CopyCounter& copies;
};

}  // namespace facepipe::pipeline
