// Holds the tracks of a review: what a person decides about them, and how a decision is taken back.
// It knows nothing about files, requests or pictures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/geometry.h"
#include "track/track_file.h"

namespace facepipe::app {

/// A track with its boxes and what is computed from them. A copy shares the boxes.
struct ReviewedTrack {
  track::FileTrack head;  ///< everything except `boxes`, which is empty here
  std::shared_ptr<const std::vector<track::FileBox>> boxes;  ///< at least one; pts are rising
  bool looked_at = false;                                    ///< a person has decided about it
  float size = 0;        ///< median of the boxes' shorter sides, in pixels
  int longest_held = 0;  ///< the most boxes in a row that are held (BoxState::held)
  Point centre;          ///< of the box in the middle of its time, in pixels
  /// It ends before the video and before its scene (scene_ends()), away from the picture's edges.
  bool ends_inside = false;
  /// The hidden track that covered this suggestion when the review began (covering_tracks()).
  std::optional<std::int64_t> covered_by;

  /// Returns whether a person should look at it although it is hidden: its face may go on after
  /// its end, or was not detected for a while.
  [[nodiscard]] bool doubtful() const;
};

/// Says what one decision did to one track. A track that a decision adds has no `before`, and a
/// track that it removes has no `after`.
struct TrackChange {
  std::int64_t id = 0;
  std::optional<ReviewedTrack> before;
  std::optional<ReviewedTrack> after;
};
using TrackChanges = std::vector<TrackChange>;

/// Says why a decision can't be carried out. Nothing has changed then. The text is a sentence
/// without its full stop, for the person who has asked.
class RefusedChange : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The most decisions that can be undone, and the most changes of tracks that these may contain
/// together. Older decisions can't be undone any longer.
inline constexpr std::size_t kMostUndoSteps = 1000;
inline constexpr std::size_t kMostUndoChanges = std::size_t{1} << 20;

/// Holds all tracks of one edit file. Each function that decides something returns what it has
/// changed, or throws RefusedChange. Not thread-safe.
class ReviewedTracks {
 public:
  /// @param file      a valid file (track::reason_against)
  /// @param last_pts  the stamp of the video's last frame, or about that
  ReviewedTracks(track::TrackFile file, std::int64_t last_pts);

  /// Gives tracks another action. Counts them as looked at, even if they have this action already.
  TrackChanges decide(const std::vector<std::int64_t>& ids, track::TrackAction action);
  /// Adds a track that a person has drawn, with the action `hide`.
  /// @param keys  at least one; pts are rising
  /// @param end   the last stamp at which the last box holds
  TrackChanges draw(std::vector<track::FileBox> keys, std::int64_t end);
  /// Sets the box of a person's track at `pts`. If `pts` is outside of the track, extends it.
  TrackChanges set_box(std::int64_t id, std::int64_t pts, const Box& box);
  /// Lets a person's track begin or end at `pts`, which may be inside or outside of the track.
  TrackChanges begin_at(std::int64_t id, std::int64_t pts);
  TrackChanges end_at(std::int64_t id, std::int64_t pts);
  /// Makes two tracks of a track. The second one begins at `pts` and gets a new id.
  TrackChanges split(std::int64_t id, std::int64_t pts);
  /// Removes tracks that a person has drawn.
  TrackChanges remove(const std::vector<std::int64_t>& ids);

  /// Takes the last decision back, or repeats the last decision that was taken back. The changes
  /// are those of this step, so `before` and `after` are exchanged for undo().
  TrackChanges undo();
  TrackChanges redo();
  [[nodiscard]] bool can_undo() const { return !done_.empty(); }
  [[nodiscard]] bool can_redo() const { return !undone_.empty(); }

  /// Marks tracks as looked at, as an earlier review has done. This is not a step for undo().
  /// Ignores unknown ids.
  void mark_as_looked_at(const std::set<std::int64_t>& ids);

  [[nodiscard]] const std::map<std::int64_t, ReviewedTrack>& all() const { return tracks_; }
  [[nodiscard]] const track::TrackFileInput& input() const { return input_; }
  /// Returns the edit file, sorted by id.
  [[nodiscard]] track::TrackFile file() const;

 private:
  [[nodiscard]] const ReviewedTrack& known(std::int64_t id) const;
  [[nodiscard]] const ReviewedTrack& drawn(std::int64_t id) const;
  [[nodiscard]] ReviewedTrack made(track::FileTrack head, std::vector<track::FileBox> boxes) const;
  [[nodiscard]] Box usable(const Box& box) const;
  void measure(ReviewedTrack& track) const;
  TrackChanges reshape(const ReviewedTrack& track, track::FileTrack head,
                       std::vector<track::FileBox> boxes);
  void expect_room(std::size_t boxes) const;
  void put(std::int64_t id, const std::optional<ReviewedTrack>& state);
  TrackChanges carry_out(TrackChanges changes);
  void forget_old_steps();

  track::TrackFileInput input_;
  std::int64_t last_pts_;
  std::set<std::int64_t> scene_ends_;  ///< of the file as it was read
  std::map<std::int64_t, ReviewedTrack> tracks_;
  std::int64_t next_id_ = 0;  ///< over all ids that ever were, so that an id means one track
  std::size_t box_count_ = 0;
  std::deque<TrackChanges> done_;
  std::size_t changes_in_done_ = 0;
  std::vector<TrackChanges> undone_;
};

/// Returns the track with its boxes, as the edit file holds it.
[[nodiscard]] track::FileTrack as_file_track(const ReviewedTrack& track);

/// Returns a track's box for a small picture. `number` 0 is its largest box; 1 to 5 are spread over
/// its time. nullopt for another number.
inline constexpr int kPicturesOfTrack = 6;
[[nodiscard]] std::optional<track::FileBox> box_for_picture(const ReviewedTrack& track, int number);

/// Returns the box at `pts`, as track::box_at() does.
[[nodiscard]] std::optional<Box> box_at(const ReviewedTrack& track, std::int64_t pts);

}  // namespace facepipe::app
