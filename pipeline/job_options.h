// What a user asked of one job: plan_job() derives everything else from this.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/files/file_identity.h"
#include "core/files/output_file.h"
#include "core/geometry.h"
#include "core/limits.h"
#include "core/permit_pool.h"
#include "nms/nms.h"
#include "overlay/hide.h"
#include "overlay/overlay.h"
#include "track/track_file.h"
#include "track/tracker.h"
#include "video/read/decoder.h"
#include "video/write/encoder.h"

namespace facepipe::pipeline {

/// The lanes of a run that works on several inputs at once. A job begins with one lane. Lanes with
/// which no other job begins any more may join it.
struct SharedLanes {
  PermitPool lanes;  ///< permits; their numbers are those that Backend::for_lane() takes
  int count = 1;
  int own = 0;  ///< the lane that the job begins with; the caller holds its permit
  bool may_grow = false;
};

/// From the first time to before the second, in seconds as InputOptions::start_s counts them. An
/// open side reaches as far as the input.
struct TimeSpan {
  std::optional<double> from_s;
  std::optional<double> to_s;
};

/// A part of the upright picture, in pixels.
struct Region {
  std::string name;
  Box box;  ///< some of it lies in the picture, or the job throws Error(usage)
  TimeSpan when;
};

/// What is decided before any face is found. What one of these hides stays hidden, whatever the
/// others say.
struct Regions {
  std::vector<Region> hidden;        ///< always hidden; not grown
  std::vector<Region> kept;          ///< a detector's box that lies in one is not hidden
  std::vector<TimeSpan> all_hidden;  ///< whole frames
};

/// Tracks from a file, which take the place of a detector.
struct KnownTracks {
  std::string name;  ///< the file's name, for errors
  track::TrackFile file;
  /// A person may have edited it. False: a pass over the same input made it.
  bool by_person = true;
  /// The appearance for each FileTrack::style, except for the empty one, which is the job's own.
  std::map<std::string, overlay::HideOptions, std::less<>> styles;
};

/// The job hides faces instead of drawing them. If it writes no video, it only tracks them. It has
/// a member for each thing that a user can ask for.
struct HideJob {
  overlay::HideOptions appearance;
  /// The job also looks for faces in the picture turned clockwise by so many quarter turns (1..3).
  /// 0: it doesn't. Only on the CPU.
  int turned_too = 0;
  /// The job looks for motion on the host although the frames are on a CUDA device. The host then
  /// gets a small luma of each frame. Both ways find the same motion.
  bool host_motion = false;
  track::TrackerOptions tracks;        ///< the plan sets `most_waiting`
  std::vector<std::string> kept_tags;  ///< of the input's metadata, beside technical ones
  /// Memory for frames that wait, at six bytes for each two pixels. The default holds half a second
  /// of 8K at 30 frames a second. If it is too small, the look-ahead is shorter, and a notice says
  /// so.
  std::int64_t most_bytes = std::int64_t{3} << 30;
  Regions regions;
  /// If there are known tracks, no detector runs, and the job hides what they say. It hides frames
  /// that they don't know as a whole. Pictures of another size or time base are Error(usage).
  std::shared_ptr<const KnownTracks> known;
  bool wants_tracks = false;  ///< the job fills in JobResult::tracks
};

/// The largest SearchOptions::every.
inline constexpr int kMostEvery = 16;
/// The least score of detections that tell whether a face is in the frames around theirs.
inline constexpr float kWeakFace = 0.1F;

/// Says what the job reads.
struct InputOptions {
  std::string name;  ///< a file's path or a URL
  /// The file that the input must be from its opening to the job's end, because others have looked
  /// at it. If it is another one, the job throws Error(input) and keeps nothing.
  std::optional<FileIdentity> same_file;
  std::optional<double> start_s;     ///< first frame at or after; output time stamps begin there
  std::optional<double> end_s;       ///< frames before this time
  bool scale_on_size_change = true;  ///< false: a change of size or format is Error(input)
  std::int64_t max_pixels = kDefaultMaxPixels;  ///< larger pictures are refused: Error(input)
  video::DecoderChoice decoder = video::DecoderChoice::automatic;  ///< on CUDA
  bool allow_references = false;  ///< the input may be a playlist, which names other files
};

/// Says what the job writes, and where.
struct OutputOptions {
  /// Empty: no video is written. A picture's name with a place for a number (is_sequence_name())
  /// gives each frame of a video a file of its own, from 1 on.
  std::filesystem::path path;
  std::string format;  ///< FFmpeg's name of the container; empty: the output's name decides
  ExistingTarget existing = ExistingTarget::refuse;  ///< what happens to a file that is there
  video::EncoderOptions encoder;
  bool allow_8bit = false;  ///< deeper pictures may go to an 8-bit encoder that the user named
  bool strict = false;      ///< a stream that can't be kept is Error(output) instead of a warning
};

/// Says in which frames the job looks for faces, and which detections count as faces.
struct SearchOptions {
  /// The job searches every n-th frame, and each frame at which there may be a cut. It follows the
  /// faces of the frames between (track/between.h; the tracker does so if faces are hidden). Only
  /// on the CPU. 1..kMostEvery. If n > 1, the detector gives all detections over kWeakFace.
  int every = 1;
  /// If the detector gives weaker detections, too, as for `follow` and `every`: faces score more
  /// than this.
  std::optional<float> face_score;
  nms::NmsOptions nms;
  double min_face = 0;  ///< shorter side of a face's box in pixels; smaller ones are ignored
  double max_face = 0;  ///< longer side; 0: no limit
};

/// Says how much of the machine the job may use.
struct ResourceOptions {
  int lanes = 0;  ///< decoders at once; 0: as many as the device has, if the output allows it
  /// Set if other jobs run beside this one; `lanes` then counts for all of them.
  std::optional<SharedLanes> shared;
  int frames_in_flight = 0;  ///< of each lane; 0: so many that the device is kept busy
  int threads = 0;           ///< of decoder and encoder each; 0: as many as the machine has
};

/// Everything that a user can ask for in one input's run. There are more than seven members: each
/// is a choice of its own, which another part of the job reads.
struct JobOptions {
  InputOptions input;
  OutputOptions output;
  SearchOptions search;
  ResourceOptions resources;
  overlay::OverlayStyle overlay;  ///< not used if faces are hidden
  /// Fills in FrameRecord::face_tracks, and changes nothing else that is told of a frame. The
  /// detector then gives all detections over the lowest of its scores. Not used if faces are
  /// hidden.
  std::optional<track::TrackerOptions> follow;
  std::optional<HideJob> hide;
  bool wants_faces = true;  ///< FrameRecord::faces is filled in; false: only their number
  /// The parts of a frame's work on CUDA are measured, which costs some time.
  bool wants_stage_times = false;
};

}  // namespace facepipe::pipeline
