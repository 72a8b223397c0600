// What is decided about one input before any thread starts, and never changed later.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "pipeline/backend.h"
#include "pipeline/hide/hiding.h"
#include "pipeline/job_options.h"
#include "pipeline/job_result.h"
#include "pipeline/lanes/lane.h"
#include "video/frames/frame_maker.h"
#include "video/read/demuxer.h"
#include "video/read/first_picture.h"
#include "video/write/muxer.h"
#include "video/write/streams.h"

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

/// Whether a packet of another stream than the video goes into the output.
[[nodiscard]] bool wants_packet(const JobPlan& plan, const video::Demuxer& demuxer,
                                const video::Decoder& decoder, const AVPacket& packet);

/// Tells of the packet's stream if that wasn't there when streams were planned, because the output
/// has no place for it. Errors: Error(output) if nothing may be lost.
void tell_late_stream(const JobPlan& plan, const video::Demuxer& demuxer, const AVPacket& packet,
                      video::Notices& notices);

/// The number of frames to expect in the chosen range; 0 if unknown.
[[nodiscard]] std::int64_t expected_frames(const video::Demuxer& demuxer,
                                           const JobOptions& options);

/// An input, opened and read up to its first frame.
struct OpenInput {
  std::unique_ptr<video::Demuxer> demuxer;
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

/// Opens the input, or takes it as `opened`, reads until the first picture has come (see
/// read_first_picture()), and decides who decodes, what frames are, and how they are encoded. Makes
/// nothing on disk. `backend` must outlive the result. If `stop` is requested, a blocked read ends,
/// and later the wait for a FIFO's reader. Errors: Error(input), Error(output), Error(usage),
/// Error(device); Stopped while the input is opened.
[[nodiscard]] PlannedJob plan_job(const JobOptions& options, Backend& backend,
                                  JobDiagnostics diagnostics, const std::stop_token& stop,
                                  std::unique_ptr<video::Demuxer> opened = nullptr);

/// Makes what detects, and draws or hides, for the lanes; `options` must outlive it. Errors:
/// device.
void make_processors(PlannedJob& job, const JobOptions& options, JobDiagnostics diagnostics);

/// Opens the lanes' encoders, and the file, for frames like the planned job's first, which must be
/// there, as must its output. Errors: as Backend::make_encoder() and Muxer.
[[nodiscard]] std::unique_ptr<video::Muxer> open_output(PlannedJob& job,
                                                        JobDiagnostics diagnostics);

/// Makes all parts of a lane that joins a job under way, on a device of its own. `options` must
/// outlive it. Nobody may read the input meanwhile. Errors: device.
[[nodiscard]] LaneParts make_lane(Backend& backend, const JobPlan& plan, const JobOptions& options,
                                  const OpenInput& input, JobDiagnostics diagnostics);

}  // namespace facepipe::pipeline
