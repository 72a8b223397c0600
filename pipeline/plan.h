// What is settled about one input before any thread starts: nothing of it is decided later.
#pragma once

#include <cstdint>
#include <deque>
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

/// How much may be on its way at once between the parts of a run. Beside these, of several lanes, a
/// segment's packets have a limit (pipeline/lanes/feed.cpp), and of the file's bytes OutputQueue;
/// within a codec its own hold.
struct FlightLimits {
  /// Packets between reading and decoding, and between encoding and writing: enough to keep the
  /// decoder busy while the disk is slow. A frame's total time begins in the first of these queues.
  int packets = 8;
  /// Frames of a lane between decoder and encoder: what was asked for, but no more than 2^27 pixels
  /// together, which bounds the memory; two at least of a single lane, or nothing would overlap. Of
  /// a still image one.
  int frames = 4;
  /// Where faces are hidden; with several lanes they fit into HideJob::most_bytes together. Those
  /// that wait are not among `frames`.
  HideCapacity hiding;
  int max_held_later_segments =
      0;  ///< as TrackQueue::Limits has it, as `hiding.held` is its `held`
  /// Bytes of finished frames that wait for those of earlier segments.
  std::int64_t bytes_behind = std::int64_t{1} << 30;
  /// Of each lane: frames alive at once: those, what the device's encoder keeps, one that is being
  /// decoded, and one on its way from the decoder to the queue.
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
  std::optional<OutputPlan> output;  ///< none where no video is written
};

/// Whether a packet of another stream than the video goes into the output.
[[nodiscard]] bool wants_packet(const JobPlan& plan, const video::Demuxer& demuxer,
                                const video::Decoder& decoder, const AVPacket& packet);

/// Tells of the packet's stream if that wasn't there when streams were planned: the output has no
/// place for it. Errors: Error(output) where nothing may be lost.
void tell_late_stream(const JobPlan& plan, const video::Demuxer& demuxer, const AVPacket& packet,
                      video::Notices& notices);

/// Frames of the chosen range to expect; 0 if unknown.
[[nodiscard]] std::int64_t expected_frames(const video::Demuxer& demuxer,
                                           const JobOptions& options);

/// An input, opened and read up to its first frame.
struct OpenInput {
  std::unique_ptr<video::Demuxer> demuxer;
  video::FirstPicture begin;  ///< but for its picture, which has become `first`, and, where there
                              ///< is one, its decoder, which is the first lane's
  std::unique_ptr<Hiding> hiding;  ///< of a job that hides, on the first lane's device; outlives
                                   ///< the lanes
  std::vector<LaneParts> lanes;    ///< as far as they are made; of shared ones the job's own
  video::UniqueAVFrame picture;    ///< the first one, where lanes may join
  /// None where the run was stopped before there was one. With one lane its decoder has gone on
  /// from here; with several they get `begin.packets`, which then are all from the first on.
  std::optional<video::DecodedFrame> first;
};

/// A device that fails while lanes are made ready loses its lanes, which is told; that of the first
/// lane fails the job.
struct PlannedJob {
  JobPlan plan;
  OpenInput input;
};

/// What a job's parts tell on their way; both outlive them. Thread-safe.
struct JobDiagnostics {
  video::Notices& notices;
  CopyCounter& copies;
};

/// Opens the input, or takes it as `opened`, reads until the first picture has come (see
/// read_first_picture()), and settles who decodes, what frames are, and how they are encoded. Makes
/// nothing on disk. `backend` must outlive the result; a blocked read, and later the wait for a
/// FIFO's reader, end when `stop` is requested. Errors: Error(input), Error(output),
/// Error(usage), Error(device); Stopped while the input is opened.
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

/// All of a lane that joins a job under way, on a device of its own; `options` must outlive it.
/// Nobody reads the input meanwhile. Errors: device.
[[nodiscard]] LaneParts make_lane(Backend& backend, const JobPlan& plan, const JobOptions& options,
                                  const OpenInput& input, JobDiagnostics diagnostics);

}  // namespace facepipe::pipeline
