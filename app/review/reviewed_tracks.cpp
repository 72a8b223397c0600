#include "app/review/reviewed_tracks.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "app/review/covering_tracks.h"
#include "app/review/scene_ends.h"

namespace facepipe::app {
namespace {

using track::FileBox;
using track::FileTrack;
using track::TrackAction;
using track::TrackOrigin;

// A track is doubtful if its face was not detected in more boxes than this, one after the other.
constexpr int kMostHeld = 8;
// A track that ends at least this far from each edge ends inside of the picture.
constexpr float kEdge = 8;
constexpr float kLeastSide = 2;        ///< of a box that a person draws, in pixels
constexpr double kNearTheEnd_s = 0.2;  ///< a track that ends later ends with the video

const FileBox& largest(const std::vector<FileBox>& boxes) {
  const auto area = [](const FileBox& box) {
    // A box that was not detected may show something else.
    return box.box.width() * box.box.height() * (box.state == track::BoxState::seen ? 1.F : 1e-9F);
  };
  return *std::ranges::max_element(boxes, {}, area);
}

float shorter_side(const FileBox& box) { return std::min(box.box.width(), box.box.height()); }

float median_size(const std::vector<FileBox>& boxes) {
  std::vector<float> sides;
  sides.reserve(boxes.size());
  std::ranges::transform(boxes, std::back_inserter(sides), shorter_side);
  const auto middle = sides.begin() + static_cast<std::ptrdiff_t>(sides.size() / 2);
  std::ranges::nth_element(sides, middle);
  return *middle;
}

int longest_held(const std::vector<FileBox>& boxes) {
  int longest = 0;
  int now = 0;
  for (const FileBox& box : boxes) {
    now = box.state == track::BoxState::held ? now + 1 : 0;
    longest = std::max(longest, now);
  }
  return longest;
}

/// Returns the first box at or after `pts`.
std::vector<FileBox>::const_iterator first_from(const std::vector<FileBox>& boxes,
                                                std::int64_t pts) {
  return std::ranges::lower_bound(boxes, pts, {}, &FileBox::pts);
}

/// Returns the boxes from `pts` on. The first one is at `pts` if `first` is a box.
std::vector<FileBox> boxes_from(const std::vector<FileBox>& boxes, std::int64_t pts,
                                const std::optional<Box>& first) {
  std::vector<FileBox> rest(first_from(boxes, pts), boxes.end());
  if (first && (rest.empty() || rest.front().pts > pts))
    rest.insert(rest.begin(), FileBox{pts, *first});
  return rest;
}

/// Returns the boxes until `pts`. The last one is at `pts` if `last` is a box.
std::vector<FileBox> boxes_until(const std::vector<FileBox>& boxes, std::int64_t pts,
                                 const std::optional<Box>& last) {
  const auto end = std::ranges::upper_bound(boxes, pts, {}, &FileBox::pts);
  std::vector<FileBox> rest(boxes.begin(), end);
  if (last && (rest.empty() || rest.back().pts < pts)) rest.push_back({pts, *last});
  return rest;
}

}  // namespace

bool ReviewedTrack::doubtful() const {
  return head.action == TrackAction::hide && head.origin == TrackOrigin::detector &&
         (ends_inside || longest_held > kMostHeld);
}

FileTrack as_file_track(const ReviewedTrack& track) {
  FileTrack whole = track.head;
  whole.boxes = *track.boxes;
  return whole;
}

std::optional<Box> box_at(const ReviewedTrack& track, std::int64_t pts) {
  if (pts < track.head.start_pts || pts > track.head.end_pts) return std::nullopt;
  // Only the boxes around `pts` count, so only these are copied.
  FileTrack part = track.head;
  const auto next = first_from(*track.boxes, pts);
  const auto from = next == track.boxes->begin() ? next : next - 1;
  part.boxes.assign(from, next == track.boxes->end() ? next : next + 1);
  return track::box_at(part, pts);
}

std::optional<FileBox> box_for_picture(const ReviewedTrack& track, int number) {
  if (number < 0 || number >= kPicturesOfTrack) return std::nullopt;
  const std::vector<FileBox>& boxes = *track.boxes;
  if (number == 0) return largest(boxes);
  // The middles of equal parts of the track.
  const auto part = static_cast<std::size_t>(number - 1);
  return boxes[(2 * part + 1) * boxes.size() / (2 * (kPicturesOfTrack - 1))];
}

ReviewedTracks::ReviewedTracks(track::TrackFile file, std::int64_t last_pts)
    : input_(std::move(file.input)), last_pts_(last_pts), scene_ends_(scene_ends(file.tracks)) {
  for (const FileTrack& track : file.tracks) last_pts_ = std::max(last_pts_, track.end_pts);
  for (FileTrack& track : file.tracks) {
    std::vector<FileBox> boxes = std::move(track.boxes);
    track.boxes.clear();
    const std::int64_t id = track.id;
    put(id, made(std::move(track), std::move(boxes)));
  }
  for (const auto& [suggestion, hidden] : covering_tracks(tracks_))
    tracks_.at(suggestion).covered_by = hidden;
}

TrackChanges ReviewedTracks::decide(const std::vector<std::int64_t>& ids, TrackAction action) {
  TrackChanges changes;
  for (const std::int64_t id : std::set<std::int64_t>(ids.begin(), ids.end())) {
    const ReviewedTrack& track = known(id);
    if (track.head.action == action && track.looked_at) continue;
    TrackChange& change = changes.emplace_back(TrackChange{id, track, track});
    change.after->head.action = action;
    change.after->looked_at = true;
  }
  return carry_out(std::move(changes));
}

TrackChanges ReviewedTracks::draw(std::vector<FileBox> keys, std::int64_t end) {
  if (keys.empty()) throw RefusedChange("a track needs a box");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i].box = usable(keys[i].box);
    keys[i].state = track::BoxState::seen;
    if (i > 0 && keys[i].pts <= keys[i - 1].pts)
      throw RefusedChange("the boxes are not in the order of their times");
  }
  if (tracks_.size() >= track::kMostFileTracks)
    throw RefusedChange("an edit file can't hold more tracks");
  expect_room(keys.size());
  FileTrack head;
  head.id = next_id_;
  head.origin = TrackOrigin::person;
  head.start_pts = keys.front().pts;
  head.end_pts = std::max(keys.back().pts, end);
  ReviewedTrack track = made(std::move(head), std::move(keys));
  track.looked_at = true;
  return carry_out({{track.head.id, std::nullopt, track}});
}

TrackChanges ReviewedTracks::set_box(std::int64_t id, std::int64_t pts, const Box& box) {
  const ReviewedTrack& track = drawn(id);
  std::vector<FileBox> boxes = *track.boxes;
  const auto place = std::ranges::lower_bound(boxes, pts, {}, &FileBox::pts);
  if (place != boxes.end() && place->pts == pts) {
    place->box = usable(box);
  } else {
    expect_room(1);
    boxes.insert(place, FileBox{pts, usable(box)});
  }
  FileTrack head = track.head;
  head.start_pts = std::min(head.start_pts, pts);
  head.end_pts = std::max(head.end_pts, pts);
  return reshape(track, std::move(head), std::move(boxes));
}

TrackChanges ReviewedTracks::begin_at(std::int64_t id, std::int64_t pts) {
  const ReviewedTrack& track = drawn(id);
  if (pts > track.head.end_pts) throw RefusedChange("the track ends before this time");
  FileTrack head = track.head;
  head.start_pts = pts;
  return reshape(track, std::move(head), boxes_from(*track.boxes, pts, app::box_at(track, pts)));
}

TrackChanges ReviewedTracks::end_at(std::int64_t id, std::int64_t pts) {
  const ReviewedTrack& track = drawn(id);
  if (pts < track.head.start_pts) throw RefusedChange("the track begins after this time");
  FileTrack head = track.head;
  head.end_pts = pts;
  return reshape(track, std::move(head), boxes_until(*track.boxes, pts, app::box_at(track, pts)));
}

/// Gives a person's track other boxes.
TrackChanges ReviewedTracks::reshape(const ReviewedTrack& track, FileTrack head,
                                     std::vector<FileBox> boxes) {
  ReviewedTrack after = made(std::move(head), std::move(boxes));
  after.looked_at = true;
  return carry_out({{track.head.id, track, after}});
}

TrackChanges ReviewedTracks::split(std::int64_t id, std::int64_t pts) {
  const ReviewedTrack& track = known(id);
  if (pts <= track.head.start_pts || pts > track.head.end_pts)
    throw RefusedChange("the track can only be split between its beginning and its end");
  if (tracks_.size() >= track::kMostFileTracks)
    throw RefusedChange("an edit file can't hold more tracks");
  const bool by_person = track.head.origin == TrackOrigin::person;
  const auto box = [&](std::int64_t at) {
    return by_person ? app::box_at(track, at) : std::optional<Box>();
  };
  std::vector<FileBox> first = boxes_until(*track.boxes, pts - 1, box(pts - 1));
  std::vector<FileBox> second = boxes_from(*track.boxes, pts, box(pts));
  if (first.empty() || second.empty())
    throw RefusedChange("the track has no box before this time, or none after it");
  expect_room(2);
  FileTrack first_head = track.head;
  first_head.end_pts = by_person ? pts - 1 : first.back().pts;
  FileTrack second_head = track.head;
  second_head.id = next_id_;
  second_head.start_pts = by_person ? pts : second.front().pts;
  ReviewedTrack before = made(std::move(first_head), std::move(first));
  ReviewedTrack behind = made(std::move(second_head), std::move(second));
  before.looked_at = behind.looked_at = track.looked_at;
  const std::int64_t second_id = behind.head.id;
  return carry_out({{id, track, before}, {second_id, std::nullopt, behind}});
}

TrackChanges ReviewedTracks::remove(const std::vector<std::int64_t>& ids) {
  TrackChanges changes;
  for (const std::int64_t id : std::set<std::int64_t>(ids.begin(), ids.end()))
    changes.push_back({id, drawn(id), std::nullopt});
  return carry_out(std::move(changes));
}

TrackChanges ReviewedTracks::undo() {
  if (done_.empty()) throw RefusedChange("there is nothing to undo");
  TrackChanges changes = std::move(done_.back());
  done_.pop_back();
  changes_in_done_ -= changes.size();
  for (const TrackChange& change : changes) put(change.id, change.before);
  undone_.push_back(changes);
  for (TrackChange& change : changes) std::swap(change.before, change.after);
  return changes;
}

TrackChanges ReviewedTracks::redo() {
  if (undone_.empty()) throw RefusedChange("there is nothing to repeat");
  TrackChanges changes = std::move(undone_.back());
  undone_.pop_back();
  for (const TrackChange& change : changes) put(change.id, change.after);
  changes_in_done_ += changes.size();
  done_.push_back(changes);
  return changes;
}

void ReviewedTracks::mark_as_looked_at(const std::set<std::int64_t>& ids) {
  for (const std::int64_t id : ids)
    if (const auto found = tracks_.find(id); found != tracks_.end()) found->second.looked_at = true;
}

track::TrackFile ReviewedTracks::file() const {
  track::TrackFile file{input_, {}};
  file.tracks.reserve(tracks_.size());
  for (const auto& [id, track] : tracks_) file.tracks.push_back(as_file_track(track));
  return file;
}

const ReviewedTrack& ReviewedTracks::known(std::int64_t id) const {
  const auto found = tracks_.find(id);
  if (found == tracks_.end()) throw RefusedChange("there is no track " + std::to_string(id));
  return found->second;
}

/// Returns a track that a person has drawn.
const ReviewedTrack& ReviewedTracks::drawn(std::int64_t id) const {
  const ReviewedTrack& track = known(id);
  if (track.head.origin != TrackOrigin::person)
    throw RefusedChange("track " + std::to_string(id) +
                        " was found by the detector; only tracks drawn by hand can be changed so");
  return track;
}

ReviewedTrack ReviewedTracks::made(FileTrack head, std::vector<FileBox> boxes) const {
  ReviewedTrack track;
  track.head = std::move(head);
  track.boxes = std::make_shared<const std::vector<FileBox>>(std::move(boxes));
  measure(track);
  return track;
}

void ReviewedTracks::measure(ReviewedTrack& track) const {
  track.size = median_size(*track.boxes);
  track.longest_held = app::longest_held(*track.boxes);
  const Box& middle = (*track.boxes)[track.boxes->size() / 2].box;
  track.centre = {(middle.x1 + middle.x2) / 2, (middle.y1 + middle.y2) / 2};
  const Box& last = track.boxes->back().box;
  const auto width = static_cast<float>(input_.size.width);
  const auto height = static_cast<float>(input_.size.height);
  const bool inside =
      last.x1 > kEdge && last.y1 > kEdge && last.x2 < width - kEdge && last.y2 < height - kEdge;
  const double left_s = (static_cast<double>(last_pts_) - static_cast<double>(track.head.end_pts)) *
                        input_.time_base.num / input_.time_base.den;
  // A cut ends all tracks, so such an end says nothing about the face.
  track.ends_inside = inside && left_s > kNearTheEnd_s && !scene_ends_.contains(track.head.end_pts);
}

/// Returns the part of a drawn box that lies in the picture.
Box ReviewedTracks::usable(const Box& box) const {
  for (const float edge : {box.x1, box.y1, box.x2, box.y2})
    if (!std::isfinite(edge)) throw RefusedChange("an edge of the box is not a number");
  const Box inside = clipped(box, input_.size);
  // A picture can be smaller than the least side.
  const float least_width = std::min(kLeastSide, static_cast<float>(input_.size.width));
  const float least_height = std::min(kLeastSide, static_cast<float>(input_.size.height));
  if (!(inside.width() >= least_width && inside.height() >= least_height))
    throw RefusedChange("the box is too small, or lies outside of the picture");
  return inside;
}

void ReviewedTracks::expect_room(std::size_t boxes) const {
  if (box_count_ + boxes > track::kMostFileBoxes)
    throw RefusedChange("an edit file can't hold more boxes");
}

/// Gives a track a state; nullopt removes it.
void ReviewedTracks::put(std::int64_t id, const std::optional<ReviewedTrack>& state) {
  if (const auto old = tracks_.find(id); old != tracks_.end()) {
    box_count_ -= old->second.boxes->size();
    tracks_.erase(old);
  }
  if (!state) return;
  tracks_.emplace(id, *state);
  box_count_ += state->boxes->size();
  if (id < std::numeric_limits<std::int64_t>::max()) next_id_ = std::max(next_id_, id + 1);
}

TrackChanges ReviewedTracks::carry_out(TrackChanges changes) {
  if (changes.empty()) return changes;
  for (const TrackChange& change : changes) put(change.id, change.after);
  undone_.clear();
  changes_in_done_ += changes.size();
  done_.push_back(changes);
  forget_old_steps();
  return changes;
}

void ReviewedTracks::forget_old_steps() {
  while (done_.size() > 1 &&
         (done_.size() > kMostUndoSteps || changes_in_done_ > kMostUndoChanges)) {
    changes_in_done_ -= done_.front().size();
    done_.pop_front();
  }
}

}  // namespace facepipe::app
