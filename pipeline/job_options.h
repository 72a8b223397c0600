// Holds the options of one job. plan_job() derives everything else from it.
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
#include "core/score_scale.h"
#include "nms/nms.h"
#include "overlay/hide.h"
#include "overlay/overlay.h"
#include "pipeline/parts/part_job.h"
#include "track/track_file.h"
#include "track/tracker.h"
#include "video/read/decoder.h"
#include "video/write/encoder.h"

namespace facepipe::pipeline {

/// The lanes of a run that works on several inputs at the same time. A job begins with one lane.
/// When no input is left for the other lanes, they can join the job.
struct SharedLanes {
  PermitPool lanes;  ///< one permit for each lane, whose number is passed to Backend::for_lane()
  int count = 1;     ///< number of all lanes
  int own = 0;       ///< the lane that the job begins with; the caller holds its permit
  bool may_grow = false;  ///< other lanes are allowed to join the job
};

/// The time from `from_s` up to `to_s`, without `to_s`, in seconds as InputOptions::start_s counts
/// them. nullopt means the begin or the end of the input.
struct TimeSpan {
  std::optional<double> from_s;
  std::optional<double> to_s;
};

/// A part of the upright picture, in pixels.
struct Region {
  std::string name;
  Box box;  ///< if no part of it lies in the picture, the job throws Error(usage)
  TimeSpan when;
};

/// Regions that a user has chosen. `kept` affects only the boxes of a detector: `hidden` and
/// `all_hidden` also hide pixels inside a kept region.
struct Regions {
  std::vector<Region> hidden;        ///< always hidden; HideOptions::grow doesn't enlarge them
  std::vector<Region> kept;          ///< a detector's box in such a region isn't hidden
  std::vector<TimeSpan> all_hidden;  ///< frames in these times are hidden as a whole
};

/// Tracks from a file. They replace the detector.
struct KnownTracks {
  std::string name;  ///< the file's name, for errors
  track::TrackFile file;
  std::string sha256{};  ///< of the file; empty if the tracks are from no file
  /// True: a person may have edited the file. False: a pass over the same input made it.
  bool by_person = true;
  /// The appearance for each FileTrack::style. The empty style isn't listed: it is
  /// HideJob::appearance.
  std::map<std::string, overlay::HideOptions, std::less<>> styles;
  /// The classes of the tracks. No two of them have the same name and the same model.
  /// FrameRecord::faces has indices in this list. If it is empty, all tracks are of class 0.
  std::vector<track::TrackClass> classes{};
};

/// Options of a job that hides faces instead of drawing them. If the job writes no video, it only
/// tracks faces. There is a member for each thing that a user can ask for.
struct HideJob {
  overlay::HideOptions appearance;
  /// The job also looks for faces in the picture turned clockwise by this number of quarter turns
  /// (1..3). 0: it searches only the upright picture.
  int turned_too = 0;
  /// The job estimates motion on the host although the frames are on a CUDA device. The host then
  /// gets a small luma of each frame. The host and the device find the same motion.
  bool host_motion = false;
  track::TrackerOptions tracks;        ///< the plan sets `most_waiting`
  std::vector<std::string> kept_tags;  ///< tags of the input that the output keeps, besides the
                                       ///< technical ones
  /// Bytes for frames that wait. A frame takes six bytes for each two pixels. The default is enough
  /// for half a second of 8K at 30 frames a second. If the number is too small, the look-ahead is
  /// shorter, and a notice says so.
  std::int64_t most_bytes = std::int64_t{3} << 30;
  Regions regions;
  /// If there are known tracks, no detector runs, and the job hides the boxes of these tracks. It
  /// hides a whole frame if the tracks' file doesn't know the frame. If the input and the file have
  /// different sizes or time bases, the job throws Error(usage).
  std::shared_ptr<const KnownTracks> known;
  bool wants_tracks = false;  ///< the job fills in JobResult::tracks
  /// The job makes a part, whose file keeps what an edit file of all parts needs to know.
  bool collects_tracks = false;
  /// Has an entry for each class of detections. If it is empty, all detections are faces. Boxes of
  /// a class without a growth have the growth of `appearance`.
  std::vector<track::TrackClass> classes{};
};

/// The largest SearchOptions::every.
inline constexpr int kMostEvery = 16;
/// The lowest score, on the usual scale (core/score_scale.h), of detections that are used to follow
/// a face into neighbouring frames.
inline constexpr float kWeakFace = 0.1F;

/// Says what the job reads.
struct InputOptions {
  std::string name;  ///< a file's path or a URL
  /// If set, the input must be this file, from its opening to the job's end, because an earlier
  /// step has read it. If it is another file, the job throws Error(input) and keeps nothing.
  std::optional<FileIdentity> same_file;
  /// The job begins with the first frame at or after this time. The output's time stamps begin
  /// there.
  std::optional<double> start_s;
  std::optional<double> end_s;       ///< the job uses only frames before this time
  bool scale_on_size_change = true;  ///< false: a change of size or format is Error(input)
  std::int64_t max_pixels = kDefaultMaxPixels;  ///< larger pictures are refused: Error(input)
  video::DecoderChoice decoder = video::DecoderChoice::automatic;  ///< used only on CUDA devices
  bool allow_references = false;  ///< the input may be a playlist, which names other files
};

/// Says what the job writes, and where.
struct OutputOptions {
  /// Empty: no video is written. A picture's name may contain a placeholder for a number (see
  /// is_sequence_name()). Then each frame of a video is written to its own file, and the files are
  /// numbered from 1 on.
  std::filesystem::path path;
  std::string format;  ///< FFmpeg's name of the container; empty: the output's name decides
  ExistingTarget existing = ExistingTarget::refuse;  ///< what happens to a file of this name
  video::EncoderOptions encoder;
  bool allow_8bit = false;  ///< an 8-bit encoder is allowed for pictures with more bits
  bool strict = false;      ///< a stream that can't be kept is Error(output) instead of a warning
};

/// Says which detections of a class count, and which of them are suppressed.
struct SearchedClass {
  float face_score = 0;           ///< only detections with a higher score count
  float overlap = 0;              ///< NmsOptions::threshold
  float followed_overlap = 0.3F;  ///< the threshold of SearchOptions::followed_nms
};

/// Says in which frames the job looks for faces, and which detections count as faces.
struct SearchOptions {
  /// The job searches every n-th frame, n = 1..kMostEvery, and also frames that may begin a new
  /// scene. In the other frames it follows the faces (track/between.h; if faces are hidden, the
  /// tracker does so). Only on the CPU. If n > 1, the detector returns all detections over
  /// kWeakFace.
  int every = 1;
  /// Only detections with a higher score are faces. This score is set if the detector also returns
  /// weaker detections: for JobOptions::follow, and for `every` > 1.
  std::optional<float> face_score;
  /// Says what the detector's scores mean.
  ScoreScales scales{};
  nms::NmsOptions nms;
  /// Selects the detections that are followed in a job that draws. So they are those of a job that
  /// only tracks faces, whatever `nms` is.
  nms::NmsOptions followed_nms{};
  /// Has an entry for each class of Detections::classes. The entries replace `face_score` and the
  /// thresholds of `nms` and `followed_nms`. If it is empty, all classes are treated alike.
  std::vector<SearchedClass> classes{};
  double min_face = 0;  ///< lower limit for the shorter side of a face's box, in pixels
  double max_face = 0;  ///< upper limit for the longer side of a face's box, in pixels; 0: no limit
};

/// Says how much of the machine the job may use.
struct ResourceOptions {
  int lanes =
      0;  ///< decoders at the same time; 0: all that the device has, if the output allows it
  /// Set if other jobs run at the same time; `lanes` is then the number for all jobs together.
  std::optional<SharedLanes> shared;
  int frames_in_flight = 0;  ///< frames in flight of each lane; 0: enough to keep the device busy
  int threads = 0;           ///< threads of each decoder and each encoder; 0: as many as the
                             ///< machine has
  int encoder_threads = 0;   ///< threads of each encoder; 0: `threads`
};

/// Everything that a user can choose for one input. It has more than seven members, because each is
/// a separate choice, and different parts of the job read them.
struct JobOptions {
  InputOptions input;
  OutputOptions output;
  SearchOptions search;
  ResourceOptions resources;
  overlay::OverlayStyle overlay;  ///< not used if faces are hidden
  /// If set, the job follows drawn faces and fills in FrameRecord::face_tracks; the rest of the
  /// record stays the same. The detector then returns all detections over the lowest score in these
  /// options. Not used if faces are hidden.
  std::optional<track::TrackerOptions> follow;
  std::optional<HideJob> hide;
  std::optional<PartJob> part;  ///< the job makes one part of its output; with one lane if it hides
  std::optional<JoinJob> join;  ///< the job makes its output of part files
  bool wants_faces = true;      ///< FrameRecord::faces is filled in; false: only their number
  /// The times of a frame's stages on CUDA are measured, which costs some time.
  bool wants_stage_times = false;
};

/// Returns whether the job looks for faces. If not, an edit file or earlier jobs have them.
[[nodiscard]] inline bool looks_for_faces(const JobOptions& options) {
  const bool edited = options.hide && options.hide->known;
  const bool searched = options.part && !options.part->searched.empty();
  return !edited && !searched;
}

/// Returns whether the job follows faces from frame to frame in order to hide them.
[[nodiscard]] inline bool follows_hidden_faces(const JobOptions& options) {
  const bool only_looks = options.part && options.part->searches_only;
  return options.hide && !options.hide->known && !only_looks;
}

/// Returns whether the job may look again at weak detections. A second look shows the detector an
/// upright crop, in which it doesn't find a turned face.
[[nodiscard]] inline bool looks_again(const JobOptions& options) {
  return follows_hidden_faces(options) && options.hide->turned_too == 0;
}

}  // namespace facepipe::pipeline
