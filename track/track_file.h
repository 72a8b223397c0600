// The edit file tells what is hidden in a video, as a detector found it and people have changed it.
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
#include "track/track.h"

namespace facepipe::track {

/// Says what happens to a track. A kept track is shown, except where it meets a hidden one. A
/// suggested track is shown until a person decides to hide it.
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
  std::int64_t id = 0;  ///< 0 or more; no other track has it
  TrackAction action = TrackAction::hide;
  TrackOrigin origin = TrackOrigin::detector;
  std::int64_t start_pts = 0;  ///< not after the first box
  std::int64_t end_pts = 0;    ///< included; not before the last box
  float score_max = 0;         ///< 0..1; 0 for a person's track
  std::string style;           ///< style of hiding, at most 200 bytes; empty: the style of the run
  std::vector<FileBox> boxes;  ///< at least one; pts are rising
  friend bool operator==(const FileTrack&, const FileTrack&) = default;
};

struct TrackFile {
  TrackFileInput input;
  std::vector<FileTrack> tracks;
  friend bool operator==(const TrackFile&, const TrackFile&) = default;
};

/// Files that exceed these limits are refused. An hour of 30 frames a second with 20 faces has 2.2
/// million boxes and 110 MB. A file that we write always has fewer bytes: a box takes at most 104,
/// and a track takes at most 1,397 more.
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
/// filled. `style` may be left out, and `score_max` too if the track is a person's. The file may
/// come from anywhere. Anything that isn't as stated here and above is refused, unknown and doubled
/// members too. Errors: Error(input) with one line that names the file, the track, the box and the
/// reason, and quotes nothing from the file.
[[nodiscard]] TrackFile read_track_file(const std::filesystem::path& path);

/// Writes a file, one box a line. read_track_file() reads back the same values, floats to the bit.
/// Errors: Error(internal) for anything that read_track_file() would refuse; Error(output).
void write_track_file(const TrackFile& file, const std::filesystem::path& path,
                      ExistingTarget existing);
/// Writes to a file that is open and empty. The file is complete afterwards.
void write_track_file(const TrackFile& file, OutputFile& output);

/// Returns why the file may not be written or used; empty if it may.
[[nodiscard]] std::string reason_against(const TrackFile& file);

/// Returns where the track is at `pts`. Returns nullopt before start_pts, after end_pts, and where
/// it has no box. A detector's box is for its frame only. A person's boxes are interpolated
/// linearly. The first one is extended back to start_pts, and the last one on to end_pts.
[[nodiscard]] std::optional<Box> box_at(const FileTrack& track, std::int64_t pts);

struct HiddenBox {
  Box box;
  const FileTrack* track = nullptr;  ///< belongs to the file
};

/// Returns all boxes that are hidden at `pts`, in the file's order.
[[nodiscard]] std::vector<HiddenBox> hidden_at(const TrackFile& file, std::int64_t pts);

/// Collects a tracker's frames for a file. If a frame has several boxes of a track, they become one
/// box around them, grown by their uncertainty. Boxes outside of the picture are left out. Tracks
/// are sorted by id. Hidden tracks get the action `hide`. Others get `suggest` if their best score
/// is at least `suggest_score`. If such a track hides single frames, these become a track of their
/// own, behind all others. If a file may not have so many tracks or boxes, the weakest suggestions
/// are left out. A frame of which nothing is known (hide_all) is not in the file; a run that reads
/// the file hides that frame by itself.
class TrackFileBuilder {
 public:
  explicit TrackFileBuilder(TrackFileInput input, float suggest_score = 0.03F);

  /// @param pts  the frame's pts in input.time_base, rising
  void add(const TrackedFrame& frame, std::int64_t pts);
  void add(const TrackSummary& track);
  /// Returns the file, with input.frames counted. Called once, last.
  [[nodiscard]] TrackFile finish();

 private:
  struct Collected {
    std::vector<FileBox> boxes;
    std::vector<std::size_t> alone;  ///< indices of boxes that are hidden even if the track isn't
    float best_score = 0;
    bool hidden = false;
  };
  TrackFile file_;
  float suggest_score_;
  std::map<std::int64_t, Collected> tracks_;  ///< the tracks by id
};

}  // namespace facepipe::track
