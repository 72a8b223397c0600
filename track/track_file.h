// Reads and writes the edit file. It says what is hidden in a video: what a detector has found,
// with the changes that people have made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/files/output_file.h"
#include "core/files/output_names.h"
#include "core/geometry.h"
#include "core/score_scale.h"
#include "track/track.h"

namespace facepipe::track {

/// Says what happens to the face of a track. `keep`: it is not hidden, except where it overlaps a
/// hidden track. `suggest`: it is not hidden, unless a person decides to hide it.
enum class TrackAction : std::uint8_t { hide, keep, suggest };
enum class TrackOrigin : std::uint8_t { detector, person };

/// Describes the input that a file was made for.
struct TrackFileInput {
  std::string sha256;        ///< 64 hexadecimal digits, lower case
  std::int64_t frames = 0;   ///< 0 or more
  Size size;                 ///< size of the upright picture; sides are at most kMaxPictureSide
  Rational time_base{1, 1};  ///< time base of all pts; both numbers over 0
  friend bool operator==(const TrackFileInput&, const TrackFileInput&) = default;
};

struct FileBox {
  std::int64_t pts = 0;
  Box box;  ///< finite, not empty, with a part of it in the picture
  BoxState state = BoxState::seen;
  friend bool operator==(const FileBox&, const FileBox&) = default;
};

struct FileTrack {
  std::int64_t id = 0;  ///< 0 or more; unique in the file
  TrackAction action = TrackAction::hide;
  TrackOrigin origin = TrackOrigin::detector;
  std::int64_t start_pts = 0;  ///< first pts of the track; not after the first box
  std::int64_t end_pts = 0;    ///< last pts of the track; not before the last box
  float score_max = 0;         ///< 0..1; 0 for a person's track
  std::string style;           ///< style of hiding, at most 200 bytes; empty: the style of the run
  std::vector<FileBox> boxes;  ///< at least one; pts are rising
  std::string found_class = "face";  ///< what the track shows, 1..64 bytes
  std::string model{};  ///< name of the model that found it, at most 200 bytes; empty: unknown
  /// Growth of hidden boxes, 0..4. It replaces the growth of the run (HideOptions::grow).
  std::optional<float> grow{};
  friend bool operator==(const FileTrack&, const FileTrack&) = default;
};

/// Says what a file tells about the tracks of one class.
struct TrackClass {
  std::string name = "face";    ///< FileTrack::found_class
  std::string model{};          ///< FileTrack::model
  std::optional<float> grow{};  ///< FileTrack::grow
};

struct TrackFile {
  TrackFileInput input;
  std::vector<FileTrack> tracks;
  friend bool operator==(const TrackFile&, const TrackFile&) = default;
};

/// Files that exceed these limits are refused. An hour of 30 frames a second with 20 faces has 2.2
/// million boxes and 110 MB. A file that we write never exceeds the limit of bytes: a box takes at
/// most 104 bytes, and a track takes at most 3,100 more.
inline constexpr std::uintmax_t kMostTrackFileBytes = std::uintmax_t{1} << 30;
inline constexpr std::size_t kMostFileTracks = std::size_t{1} << 17;
inline constexpr std::size_t kMostFileBoxes = std::size_t{1} << 22;

/// Reads a file, which is JSON:
///
///     {"version": 1,
///      "input": {"sha256": "...", "frames": 75, "width": 1280, "height": 720,
///                "time_base": [1, 25]},
///      "tracks": [
///       {"id": 0, "action": "hide", "start_pts": 0, "end_pts": 9, "score_max": 0.9,
///        "origin": "detector", "style": "solid", "boxes": [
///         [0, 10.5, 20, 40, 60.25, "seen"], ...]}]}
///
/// An action is hide, keep or suggest; an origin is detector or person; a state is seen, held or
/// filled. `style` may be left out, and also `score_max` if the track's origin is `person`. A track
/// may also have `class` (without it, it shows a face), `model` and `grow`. The file may come from
/// an untrusted source. So this function refuses everything that doesn't follow the rules here and
/// above, for example unknown members and members that occur twice. Errors: Error(input) with one
/// line that names the file, the track, the box and the reason. It quotes nothing from the file.
[[nodiscard]] TrackFile read_track_file(const std::filesystem::path& path);

/// Writes a file, one box a line. read_track_file() reads back the same values, floats to the bit.
/// Errors: Error(internal) for anything that read_track_file() would refuse; Error(output).
void write_track_file(const TrackFile& file, const std::filesystem::path& path,
                      ExistingTarget existing);
/// Writes to a file that is open and empty. The file is complete afterwards.
void write_track_file(const TrackFile& file, OutputFile& output);

/// Returns why the file is invalid and must not be written or used; empty if it is valid.
[[nodiscard]] std::string reason_against(const TrackFile& file);

/// Returns the track's box at `pts`; nullopt before start_pts, after end_pts, and where the track
/// has no box. If the origin is `detector`, a box is valid only at its own pts. If the origin is
/// `person`, boxes are interpolated linearly; the first box also holds from start_pts on, and the
/// last box until end_pts.
[[nodiscard]] std::optional<Box> box_at(const FileTrack& track, std::int64_t pts);

struct HiddenBox {
  Box box;
  const FileTrack* track = nullptr;  ///< points into the file
};

/// Returns all boxes that are hidden at `pts`, in the file's order.
[[nodiscard]] std::vector<HiddenBox> hidden_at(const TrackFile& file, std::int64_t pts);

/// A track that isn't hidden is suggested if its best score is at least this.
inline constexpr float kSuggestScore = 0.03F;

/// What a TrackFileBuilder has collected of one track.
struct CollectedTrack {
  std::vector<FileBox> boxes;
  std::vector<std::uint32_t> alone;  ///< indices of the boxes with TrackedBox::hidden
  float best_score = 0;
  bool hidden = false;
  std::uint16_t found_class = 0;
  friend bool operator==(const CollectedTrack&, const CollectedTrack&) = default;
};

/// What a TrackFileBuilder has collected of a part of a video.
struct CollectedTracks {
  std::int64_t frames = 0;
  std::map<std::int64_t, CollectedTrack> tracks;  ///< by id
};

/// Makes an edit file from the frames and tracks of a tracker.
/// * Boxes are grown by their uncertainty (TrackedBox::grow). If a frame has several boxes of a
///   track, they become one box around them. Boxes outside of the picture are left out.
/// * Tracks are sorted by id. Hidden tracks get the action `hide`. Other tracks get `suggest` if
///   their best score is at least `suggest_score`. If single boxes of such a track are hidden,
///   these become another track with the action `hide`, after all others.
/// * If the file would have too many tracks or boxes, the suggestions with the lowest scores are
///   left out.
/// * The file doesn't say which frames are hidden as a whole (TrackedFrame::hide_all). A run that
///   reads the file finds this out itself.
class TrackFileBuilder {
 public:
  /// @param suggest_score  a track that isn't hidden is suggested if its best score means at least
  ///                       this on the usual scale
  /// @param classes        one for each class of detections; empty: all are faces
  /// @param scales         of the scores of all classes
  explicit TrackFileBuilder(TrackFileInput input, float suggest_score = kSuggestScore,
                            std::vector<TrackClass> classes = {}, ScoreScales scales = {});

  /// @param pts  the frame's pts in input.time_base; it must rise from frame to frame
  void add(const TrackedFrame& frame, std::int64_t pts);
  void add(const TrackSummary& track);
  /// Adds what another builder has collected of the next part of the video.
  /// @param before  how many tracks began before this part; it is added to the ids
  void add(CollectedTracks part, std::int64_t before);
  /// Returns what was collected so far, and forgets it.
  [[nodiscard]] CollectedTracks take();
  /// Returns the file, in which input.frames is the number of added frames. Call it once, at the
  /// end.
  [[nodiscard]] TrackFile finish();

 private:
  [[nodiscard]] FileTrack make_track(std::int64_t id, TrackAction action,
                                     const CollectedTrack& track, std::vector<FileBox> boxes) const;

  TrackFile file_;
  float suggest_score_;
  std::vector<TrackClass> classes_;
  ScoreScales scales_;
  std::map<std::int64_t, CollectedTrack> tracks_;  ///< the tracks by id
};

}  // namespace facepipe::track
