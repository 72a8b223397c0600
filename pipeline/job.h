// One input through all stages: options in, result out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/detections.h"
#include "core/error.h"
#include "core/files/file_identity.h"
#include "core/files/output_file.h"
#include "core/frame_record.h"
#include "core/limits.h"
#include "core/slots.h"
#include "core/timing.h"
#include "detector/detector.h"
#include "nms/nms.h"
#include "overlay/hide.h"
#include "overlay/overlay.h"
#include "pipeline/stage_times.h"
#include "track/track_file.h"
#include "track/tracker.h"
#include "video/read/decoder.h"
#include "video/read/demuxer.h"
#include "video/read/ledger.h"
#include "video/write/encoder.h"

namespace facepipe::pipeline {

/// Candidates of a frame that suppression has room for: the library's limit; with the rule matrix,
/// what the matrix has room for.
[[nodiscard]] constexpr std::uint32_t nms_capacity(const nms::NmsOptions& options) {
  return options.rule == nms::NmsRule::matrix ? options.matrix.d_max : nms::kMaxNmsCapacity;
}

/// What one device did of a job.
struct DeviceShare {
  Device device;
  int lanes = 0;
  std::int64_t frames = 0;
  std::string failure;  ///< empty where it works; else others have done what it left
};

/// On how many decoders at once one input is decoded.
struct LanePlan {
  int count = 1;        ///< of the plan: at most; of the result: that worked on it
  std::string why_one;  ///< why they are not more, where more were possible or asked for
  std::vector<DeviceShare> failed;  ///< devices that could not be made ready, and have no lane
};

/// The lanes of a run that works on several inputs at once. A job begins with one; those that no
/// other begins with any more may join it.
struct SharedLanes {
  Slots lanes;  ///< permits, by the number that Backend::of_lane() takes
  int count = 1;
  int own = 0;  ///< that the job begins with; its permit is the caller's
  bool may_grow = false;
};

/// From the first time to before the second, in seconds as JobOptions::start_s counts them. An open
/// side reaches as far as the input.
struct TimeSpan {
  std::optional<double> from_s;
  std::optional<double> to_s;
};

/// A part of the upright picture, in pixels.
struct Region {
  std::string name;
  Box box;  ///< with a part of it in the picture, else the job is Error(usage)
  TimeSpan when;
};

/// What is decided whatever is found. What is hidden by one of these stays so, whatever others say.
struct Regions {
  std::vector<Region> hidden;        ///< always; not grown
  std::vector<Region> kept;          ///< a detector's box that lies in one is not hidden
  std::vector<TimeSpan> all_hidden;  ///< whole frames
};

/// Tracks from a file, in place of a detector.
struct KnownTracks {
  std::string name;  ///< of the file, for errors
  track::TrackFile file;
  bool by_person = true;  ///< may be: else it is what a pass over the same input has found
  /// How FileTrack::style looks; all but the empty one, which is the job's own, have an entry.
  std::map<std::string, overlay::HideOptions, std::less<>> styles;
};

/// Faces are hidden instead of drawn; or, where no video is written, only tracked.
struct HideJob {
  overlay::HideOptions look;
  bool mirrored_too = false;  ///< faces are looked for in the mirrored picture as well
  /// And in the picture turned clockwise by so many quarter turns, 1..3, mirrored too where the
  /// upright one is; 0: in no other. On the CPU alone.
  int turned_too = 0;
  /// Where motion is looked for: with the frames, or on the host though they are on a CUDA device;
  /// then it gets a small luma of each. Both find the same.
  bool host_motion = false;
  track::TrackerOptions tracks;        ///< `most_waiting` is the plan's to say
  std::vector<std::string> kept_tags;  ///< of the input's metadata, beside technical ones
  /// For frames that wait, of six bytes for each two pixels: half a second of 8K at 30 frames a
  /// second. What has no room shortens the look-ahead, which is told.
  std::int64_t most_bytes = std::int64_t{3} << 30;
  Regions regions;
  /// Where there are some nothing is looked for, and hidden is what they say. Frames that they
  /// don't know are hidden as a whole. Pictures of another size or time base are Error(usage).
  std::shared_ptr<const KnownTracks> known;
  bool wants_tracks = false;  ///< in JobResult::tracks
};

/// The most frames of which one is searched.
inline constexpr int kMostEvery = 16;
/// The least score of detections that tell whether a face is in the frames around theirs.
inline constexpr float kWeakFace = 0.1F;

/// Everything that decides one input's run.
struct JobOptions {
  std::string input;  ///< a file's path or a URL
  /// The file that the input must be from its opening to the job's end, as others have looked at
  /// it: else the job is Error(input), and nothing of it is kept.
  std::optional<FileIdentity> same_input;
  /// Empty: no video is written. A picture's name with a place for a number (is_sequence_name())
  /// gives each frame of a video a file of its own, from 1 on.
  std::filesystem::path output;
  std::string format;  ///< FFmpeg's name of the container; empty: by the output's name
  ExistingTarget existing = ExistingTarget::refuse;  ///< of a file that is there at the end
  video::EncoderOptions encoder;
  overlay::OverlayStyle overlay;  ///< not used where faces are hidden
  /// Fills in FrameRecord::face_tracks, and changes nothing else that is told of a frame. Not used
  /// where faces are hidden. The detector is asked for all over the lowest of its scores.
  std::optional<track::TrackerOptions> follow;
  /// Every n-th frame is searched, and each at which a cut may be; faces of those between are
  /// followed (track/between.h; where they are hidden, by the tracker). On the CPU alone.
  /// 1..kMostEvery. Where frames are left out, the detector is asked for all over kWeakFace.
  int every = 1;
  /// Where the detector is asked for weaker ones, too, as by these two: faces score more than this.
  std::optional<float> face_score;
  std::optional<HideJob> hide;
  nms::NmsOptions nms;
  double min_face = 0;  ///< shorter side of a face's box in pixels; smaller ones are ignored
  double max_face = 0;  ///< longer side; 0: no limit
  std::optional<double> start_s;  ///< first frame at or after; output time stamps begin there
  std::optional<double> end_s;    ///< frames before this time
  int lanes = 0;  ///< decoders at once; 0: all of the device, where the output allows it
  std::optional<SharedLanes> shared;  ///< where other jobs run beside this one; `lanes` then counts
                                      ///< for all of them
  int frames_in_flight = 0;           ///< of each lane; 0: so many that the device is kept busy
  int threads = 0;                   ///< of decoder and encoder each; 0: as many as the machine has
  bool scale_on_size_change = true;  ///< else a change of size or format ends the run: Error(input)
  std::int64_t max_pixels = kDefaultMaxPixels;  ///< larger pictures are refused: Error(input)
  video::DecoderChoice decoder = video::DecoderChoice::automatic;  ///< on CUDA
  bool allow_8bit = false;  ///< deeper pictures may go to an encoder of 8 bits that was named
  bool wants_faces = true;  ///< in FrameRecord::faces, not just their number
  bool wants_stage_times =
      false;            ///< of the parts of a frame's work on CUDA, which costs some time
  bool strict = false;  ///< a stream that can't be kept is Error(output) instead of a warning
  bool allow_references = false;  ///< the input may be a playlist, which names other files
};

/// How far the run is; called from the pipeline's last thread, at most once a frame.
struct Progress {
  std::int64_t frames = 0;
  std::int64_t expected_frames = 0;  ///< 0 if unknown
  double fps = 0;
  std::int64_t faces = 0;
};

/// Gets each frame's record, in order, from one thread of the pipeline. An exception ends the run.
struct JobObserver {
  std::function<void(const FrameRecord&)> frame;
  std::function<void(const Progress&)> progress;
  std::function<void(const StageTimes&)> times;  ///< once, at the end, from run_job()'s thread
};

/// Copies of one kind between host and device, or of whole pictures on the device.
struct CopySum {
  std::string kind;
  std::string direction;  ///< "to device", "to host" or "on device"
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
};

/// Everything the report tells about one input.
struct JobResult {
  video::FrameLedger ledger;
  /// Of sound and other streams beside the video: damaged, so that the output can't hold them.
  std::int64_t side_packets_lost = 0;
  std::int64_t searched = 0;  ///< frames that a detector has looked at
  std::int64_t faces = 0;
  std::int64_t candidates = 0;
  std::int64_t candidates_ignored = 0;  ///< those that suppression had no room for
  Size size;                            ///< upright picture
  std::optional<Size> network_size;     ///< of a detector with a network; of a tile, where there
                                        ///< are tiles
  std::optional<detector::Tiling>
      tiling;  ///< of the detection, where pictures are too large for one run
  LanePlan lanes;
  std::int64_t cuts = 0;  ///< between segments for lanes
  std::string decoder;    ///< FFmpeg's name
  std::string
      encoder;  ///< FFmpeg's name ("libx264", "h264_nvenc") or "nvjpeg"; empty without video
  std::string video_codec;
  std::string container;  ///< FFmpeg's name of the output format; empty without video
  std::string early_end;  ///< why FrameLedger::ended_early; empty where it is false
  /// As HideJob::turned_too, of a job that hides: faces were found to lie so in the pixels.
  int turned_faces = 0;
  std::vector<std::string> notices;  ///< dropped, converted, mended: one sentence each
  double wall_s = 0;                 ///< from run_job()'s begin until the output is finished
  double startup_s = 0;  ///< of it, until the first frame goes to the detector, made for its size
  double cpu_s = 0;  ///< of all threads of this process meanwhile, in libraries and other jobs too
  double fps = 0;    ///< decoded frames by wall_s - startup_s
  std::vector<StageRow> stages;      ///< those that ran, in order
  Percentiles total_ms;              ///< FrameTimes::total_ms() of all frames
  Percentiles latency_ms;            ///< FrameTimes::latency_ms()
  std::vector<DeviceShare> devices;  ///< that had lanes, or were to have some
  std::vector<CopySum> copies;       ///< on CUDA: each kind, those that never happened too
  /// With HideJob::wants_tracks, and where all frames have been tracked. The input's SHA-256 is the
  /// caller's to fill in.
  std::shared_ptr<track::TrackFile> tracks;
  bool interrupted = false;  ///< the stop was requested; the output is a playable part
  /// Why the output is but a part, where nobody has asked for that: a full disk; an input that
  /// could not be read to its end; of a job that hides faces also what has failed between reading
  /// and writing.
  std::optional<Error> failure;
  std::filesystem::path output;  ///< where the video is: the final name, or the partial one; of a
                                 ///< sequence the name with the place for the number

  /// Nothing of the input was damaged or missing.
  [[nodiscard]] bool intact() const { return ledger.intact() && side_packets_lost == 0; }
  /// What was, in a line; empty where nothing was.
  [[nodiscard]] std::string damage() const;
};

class Backend;

/// Runs one input to its end, or until `stop` is requested, the disk is full, the input can't be
/// read any further, or hiding fails (then the output so far is finished under a partial name). The
/// output appears under its name only when it is complete. Throws Error; then no output of this run
/// is left, unless the error names what is kept. Error(usage) comes at the end where nothing of
/// what a user said is to be hidden applied to a frame (pipeline/hide/instructions.h).
/// @param opened the input, if it is open already and nothing was read from it
[[nodiscard]] JobResult run_job(const JobOptions& options, Backend& backend,
                                const JobObserver& observer, const std::stop_token& stop,
                                std::unique_ptr<video::Demuxer> opened = nullptr);

}  // namespace facepipe::pipeline
