// The edit file: what is hidden in a video, as a detector found it and people have changed it.
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

/// What happens to a track. A kept one is shown, but not where it meets a hidden one; a suggested
/// one is shown until a person lets it be hidden.
enum class TrackAction : std::uint8_t { hide, keep, suggest };
enum class TrackOrigin : std::uint8_t { detector, person };

/// The input that a file was made for.
struct TrackFileInput {
  std::string sha256;        ///< 64 digits, lower case
  std::int64_t frames = 0;   ///< 0 or more
  Size size;                 ///< of the upright picture, at most kMaxPictureSide
  Rational time_base{1, 1};  ///< of all pts; both over 0
  friend bool operator==(const TrackFileInput&, const TrackFileInput&) = default;
};

struct FileBox {
  std::int64_t pts = 0;
  Box box;  ///< finite, not empty, with a part of it in the picture
  BoxState state = BoxState::seen;
  friend bool operator==(const FileBox&, const FileBox&) = default;
};

struct FileTrack {
  std::int64_t id = 0;  ///< 0 or more, one track's only
  TrackAction action = TrackAction::hide;
  TrackOrigin origin = TrackOrigin::detector;
  std::int64_t start_pts = 0;  ///< not after the first box
  std::int64_t end_pts = 0;    ///< inclusive; not before the last box
  float score_max = 0;         ///< 0..1; of a person's 0
  std::string style;           ///< of hiding; empty: the run's. At most 200 bytes
  std::vector<FileBox> boxes;  ///< one or more, pts rising
  friend bool operator==(const FileTrack&, const FileTrack&) = default;
};

struct TrackFile {
  TrackFileInput input;
  std::vector<FileTrack> tracks;
  friend bool operator==(const TrackFile&, const TrackFile&) = default;
};

/// More is refused. An hour of 30 frames a second with 20 faces has 2.2 million boxes, 110 MB. What
/// is written always has fewer bytes: a box at most 104, a track besides 1,397.
inline constexpr std::uintmax_t kMostTrackFileBytes = std::uintmax_t{1} << 30;
inline constexpr std::size_t kMostFileTracks = std::size_t{1} << 17;
inline constexpr std::size_t kMostFileBoxes = std::size_t{1} << 22;

/// JSON:
///
///     {"version": 1,
///      "input": {"sha256": "...", "frames": 75, "width": 1280, "height": 720, "time_base": [1,
///      25]}, "tracks": [
///       {"id": 0, "action": "hide", "start_pts": 0, "end_pts": 9, "score_max": 0.9,
///        "origin": "detector", "style": "solid", "boxes": [
///         [0, 10.5, 20, 40, 60.25, "seen"], ...]}]}
///
/// with hide, keep or suggest; detector or person; seen, held or filled. style may be left out, and
/// of a person's track score_max. The file may come from anywhere: whatever isn't as stated here
/// and above is refused, unknown and doubled members included, by Error(input) with one line that
/// names the file, the track, the box and the reason, and quotes nothing of the file.
[[nodiscard]] TrackFile read_track_file(const std::filesystem::path& path);

/// Writes what read_track_file() reads back as it was, floats to the bit; one box a line. Errors:
/// Error(internal) for what it would refuse; Error(output).
void write_track_file(const TrackFile& file, const std::filesystem::path& path,
                      ExistingTarget existing);
/// The same to a file that is open and empty, and complete afterwards.
void write_track_file(const TrackFile& file, OutputFile& output);

/// Why the file may not be written or used; empty: it may.
[[nodiscard]] std::string reason_against(const TrackFile& file);

/// Where the track is at `pts`; none before start_pts, after end_pts, and where it has no box. A
/// detector's boxes mean their frames. A person's are linear in between; the first reaches back to
/// start_pts, and the last on to end_pts.
[[nodiscard]] std::optional<Box> box_at(const FileTrack& track, std::int64_t pts);

struct HiddenBox {
  Box box;
  const FileTrack* track = nullptr;  ///< the file's
};

/// All that is hidden at `pts`, in the file's order.
[[nodiscard]] std::vector<HiddenBox> hidden_at(const TrackFile& file, std::int64_t pts);

/// Collects a tracker's frames for a file. Each frame's boxes of a track become one around them,
/// grown by their uncertainty; those outside of the picture are left out. Tracks come by id: hidden
/// ones to hide, others of a best score of `suggest_score` or more as suggestions. What such a
/// track hides in single frames becomes a track of its own, behind all others. Where a file may not
/// have so many tracks or boxes, the weakest suggestions are left out. A frame of which nothing is
/// known (hide_all) is not in the file: a run that reads it hides that frame by itself.
class TrackFileBuilder {
 public:
  explicit TrackFileBuilder(TrackFileInput input, float suggest_score = 0.03F);

  /// @param pts  the frame's, in input.time_base, rising
  void add(const TrackedFrame& frame, std::int64_t pts);
  void add(const TrackSummary& track);
  /// Once, last: the file, with input.frames counted.
  [[nodiscard]] TrackFile finish();

 private:
  struct Collected {
    std::vector<FileBox> boxes;
    std::vector<std::size_t> alone;  ///< boxes that are hidden whatever the track is
    float best_score = 0;
    bool hidden = false;
  };
  TrackFile file_;
  float suggest_score_;
  std::map<std::int64_t, Collected> tracks_;  ///< by id
};

}  // namespace facepipe::track
