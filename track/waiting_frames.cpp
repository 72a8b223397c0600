#include "track/waiting_frames.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <ranges>
#include <span>
#include <string>
#include <utility>

#include "core/error.h"
#include "track/crowd_workers.h"
#include "track/matching.h"
#include "track/motion_rules.h"
#include "track/neighbours.h"

namespace facepipe::track {
namespace {

constexpr std::int64_t kMostPictures = 256;
/// If a frame has at least this many seen tracks, two threads are faster than one.
constexpr std::size_t kCrowd = 256;

/// Returns `box` as it was before the motion that took `from` to `to`.
Box moved_back(const Box& box, const Box& from, const Box& to) {
  const float scale = from.width() / to.width();
  const float x = (box.x1 + box.x2 + from.x1 + from.x2 - to.x1 - to.x2) / 2;
  const float y = (box.y1 + box.y2 + from.y1 + from.y2 - to.y1 - to.y2) / 2;
  const float half_width = box.width() * scale / 2;
  const float half_height = box.height() * scale / 2;
  return {x - half_width, y - half_height, x + half_width, y + half_height};
}

/// Identifies a box of a frame.
struct BoxPlace {
  std::int64_t frame = -1;
  std::size_t index = 0;
};

struct Waiting {
  TrackedFrame frame;
  std::vector<BoxPlace> earlier;                 ///< for each box, the previous box of its track
  std::shared_ptr<const MotionPicture> picture;  ///< null if damaged, or no longer needed
  /// Motion from the last good picture. That is not always the picture of the previous frame.
  Similarity camera;
  std::vector<Sighting> sightings;
  Neighbours among;  ///< boxes of the sightings
  std::vector<MissedTrack> missed;
  std::size_t first_held = 0;  ///< index of the first box of a shown `missed` track
};

/// Returns the sighting of the class, of at least the usual score `least`, that fits the box best;
/// the first sighting if several fit equally. Returns nullptr if none fits.
/// @param room  as for Neighbours::find()
const Sighting* nearest(const Waiting& in, const Box& box, std::uint16_t found_class, float least,
                        std::vector<std::uint32_t>& room) {
  const Sighting* best = nullptr;
  float most = 0;
  for (const Fit& fit : fits_of(box, in.among, room)) {
    const Sighting* const sighting = &in.sightings[fit.number];
    const bool better = fit.affinity > most || (fit.affinity == most && sighting < best);
    if (sighting->usual_score < least || sighting->found_class != found_class || !better) continue;
    most = fit.affinity;
    best = sighting;
  }
  return best;
}

/// Holds what WaitingFrames knows about a track. Its index is SeenTrack::slot.
struct Shown {
  std::int64_t first_frame = 0;  ///< first frame with a box of the track
  Box first_box;                 ///< box of the first sighting; following backwards begins there
  Box seen;                      ///< the last sighting
  double seen_s = 0;             ///< time of the last sighting
  float score = 0;               ///< score of the last sighting
  BoxPlace last;                 ///< the newest box of the track
  std::uint16_t found_class = 0;
};

Shown first_shown(const SeenTrack& seen, const Waiting& now) {
  Shown track;
  track.first_frame = now.frame.number;
  track.first_box = seen.box;
  track.found_class = seen.found_class;
  return track;
}

/// Holds a track that is followed backwards from its first sighting, step by step.
struct Backward {
  std::uint32_t slot = 0;
  std::int64_t id = 0;
  double hold_s = 0;
  std::int64_t from = 0;        ///< frame of the first sighting
  double first_s = 0;           ///< time of the first sighting
  double seen_s = 0;            ///< time of the earliest sighting so far
  Box box;                      ///< where the track is in the frame `at`
  const Waiting* at = nullptr;  ///< the frame that the track has reached
  bool over = false;            ///< the track can't be followed further
  std::uint16_t found_class = 0;
};

/// Returns the step of the track from the frame that it has reached to `then`.
BoxStep step_to(const Waiting& then, const Backward& track, int grid) {
  return {track.at->picture.get(), then.picture.get(), track.box, track.at->camera.inverse(), grid};
}

void go_to(const Waiting& then, const Box& place, Backward& track) {
  track.box = place;
  track.at = &then;
  track.over = !is_usable(place) || !meets(place, then.picture->size());
}

/// Holds a box that a track gets in a frame before its first sighting.
struct ShownBack {
  std::uint32_t slot = 0;
  std::int64_t frame = 0;
  TrackedBox box;
};

/// Keeps steps that were followed backwards, and their results.
class FollowedSteps {
 public:
  void clear() { steps_.clear(), places_.clear(); }
  void add(std::span<const BoxStep> steps, std::span<const Box> places) {
    steps_.insert(steps_.end(), steps.begin(), steps.end());
    places_.insert(places_.end(), places.begin(), places.end());
  }
  /// Returns the step's result; nullptr if the step was not followed.
  [[nodiscard]] const Box* place_of(const BoxStep& step) const {
    const auto found = std::ranges::find(steps_, step);
    return found == steps_.end() ? nullptr
                                 : &places_[static_cast<std::size_t>(found - steps_.begin())];
  }

 private:
  std::vector<BoxStep> steps_;
  std::vector<Box> places_;
};

/// Limits the points that are followed backwards for one new frame.
class PointBudget {
 public:
  [[nodiscard]] int grid_for(std::size_t boxes) const { return track::grid_for(boxes, left_); }
  void spend(int grid, std::size_t boxes) { left_ -= grid * grid * static_cast<int>(boxes); }

 private:
  int left_ = kMostFlowPoints;
};

}  // namespace

class WaitingFrames::Impl {
 public:
  Impl(MotionEstimator& motion, const TrackerOptions& options)
      : options_(options), motion_(motion) {
    check_tracker_options(options);
  }

  TrackerOutput add(TrackStep followed);
  TrackerOutput flush(const std::vector<EndedTrack>& ended);

 private:
  Waiting& append(TrackStep& followed);
  void show_tracks(TrackStep& followed, Waiting& now);
  void see(const SeenTrack& seen, Waiting& now);
  void fill(Shown& track, const SeenTrack& seen, const Waiting& now);
  Box cover_neighbour(const Shown& track, const SeenTrack& seen, const Waiting& now);
  void hide(const Shown& track);
  [[nodiscard]] std::vector<Backward> newly_hidden(std::span<const SeenTrack> seen,
                                                   const Waiting& now);
  [[nodiscard]] std::vector<ShownBack> go_back(const std::vector<Backward>& going);
  [[nodiscard]] bool goes_on(const Backward& going, std::int64_t frame);
  [[nodiscard]] std::vector<ShownBack> trace_back(std::vector<Backward> going,
                                                  std::vector<BoxStep>& unknown);
  void follow_back(std::vector<Backward>& going, const Waiting& then, std::int64_t frame,
                   PointBudget& budget, std::vector<BoxStep>& unknown);
  [[nodiscard]] std::vector<Box> follow(std::span<const BoxStep> steps,
                                        std::vector<BoxStep>& unknown);
  const Sighting* snap(Backward& going, const Waiting& then);
  [[nodiscard]] ShownBack shown_back(Backward& going, const Waiting& then);
  void miss(std::vector<MissedTrack> missed, Waiting& now);
  void drop_missed(double since_s);
  void end(std::span<const EndedTrack> tracks, TrackerOutput& out) const;
  void let_out(TrackerOutput& out);
  void drop_pictures();
  void show(Shown& track, Waiting& in, const TrackedBox& box);
  void show(Waiting& in, const TrackedBox& box, BoxPlace earlier);

  /// Returns a frame by its number; nullptr if it was returned to the caller already.
  Waiting* waiting(std::int64_t frame) {
    const std::int64_t i = waiting_.empty() ? -1 : frame - waiting_.front().frame.number;
    return i < 0 ? nullptr : &waiting_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] std::int64_t newest() const { return waiting_.back().frame.number; }

  TrackerOptions options_;
  MotionEstimator& motion_;
  std::deque<Waiting> waiting_;
  std::vector<Shown> tracks_;        ///< by slot
  std::int64_t oldest_picture_ = 0;  ///< no frame before this one has a picture
  std::int64_t oldest_missed_ = 0;   ///< no frame before this one needs its `missed` any more
  std::size_t waiting_boxes_ = 0;
  CrowdWorkers workers_{2};
  FollowedSteps followed_back_;  ///< steps of the tracks that are followed backwards now
  /// The frames that fill() fills, newest first, and the track's index in the `missed` of each.
  std::vector<std::pair<Waiting*, std::uint32_t>> gap_;
  std::vector<std::uint32_t> room_;  ///< for Neighbours::find()
};

TrackerOutput WaitingFrames::Impl::add(TrackStep followed) {
  Waiting& now = append(followed);
  show_tracks(followed, now);
  drop_missed(followed.missed_since_s);
  TrackerOutput out;
  out.taken_by = std::move(followed.taken_by);
  end(followed.ended, out);
  let_out(out);
  drop_pictures();
  return out;
}

TrackerOutput WaitingFrames::Impl::flush(const std::vector<EndedTrack>& ended) {
  TrackerOutput out;
  end(ended, out);
  for (Waiting& waiting : waiting_) out.frames.push_back(std::move(waiting.frame));
  waiting_.clear();
  waiting_boxes_ = 0;
  return out;
}

Waiting& WaitingFrames::Impl::append(TrackStep& followed) {
  // The oldest waiting frame is almost complete, so its number of boxes is a good guess.
  const std::size_t usual_boxes = waiting_.empty() ? 0 : waiting_.front().frame.boxes.size();
  Waiting& now = waiting_.emplace_back();
  now.frame = std::move(followed.frame);
  now.frame.boxes.reserve(usual_boxes);
  now.earlier.reserve(usual_boxes);
  now.picture = std::move(followed.picture);
  now.camera = followed.camera;
  now.sightings = std::move(followed.sightings);
  now.among = std::move(followed.among);
  return now;
}

/// Adds the boxes of the tracks to the newest frame, and follows newly hidden tracks backwards. The
/// second task doesn't need the boxes in frames. So in a crowd, where the tasks take equally long,
/// two threads do them at the same time.
void WaitingFrames::Impl::show_tracks(TrackStep& followed, Waiting& now) {
  const std::vector<SeenTrack>& seen = followed.seen;
  const std::vector<Backward> going = newly_hidden(seen, now);
  std::vector<ShownBack> before;
  // Part 0 uses motion_, followed_back_, room_ and the members of frames that append() has set.
  // Part 1 uses tracks_, gap_, waiting_boxes_, and the frames' boxes and missed tracks.
  const auto part = [&](std::size_t i) {
    if (i == 0) {
      before = go_back(going);
    } else {
      for (const SeenTrack& each : seen) see(each, now);
      miss(std::move(followed.missed), now);
    }
  };
  workers_.run(!going.empty() && !now.frame.cut && seen.size() >= kCrowd, 2, part);
  for (const ShownBack& each : before) {
    show(*waiting(each.frame), each.box, {});
    tracks_[each.slot].first_frame = each.frame;
  }
}

void WaitingFrames::Impl::see(const SeenTrack& seen, Waiting& now) {
  if (seen.slot >= tracks_.size()) tracks_.resize(seen.slot + std::size_t{1});
  Shown& track = tracks_[seen.slot];
  if (seen.first) track = first_shown(seen, now);
  fill(track, seen, now);
  const Box cover = cover_neighbour(track, seen, now);
  show(track, now, {seen.id, cover, 0, seen.score, BoxState::seen, seen.hidden, seen.found_class});
  track.seen = seen.box;
  track.seen_s = now.frame.time_s;
  track.score = seen.score;
  if (seen.hides) hide(track);
}

/// Returns the box to show for `seen`. If a sure face was also seen in the previous frame, the box
/// also covers the moved box of that frame. The box in the previous frame is then enlarged, so that
/// it covers the box of `seen`, moved back.
Box WaitingFrames::Impl::cover_neighbour(const Shown& track, const SeenTrack& seen,
                                         const Waiting& now) {
  if (!seen.covers) return seen.box;
  Box& before = waiting(now.frame.number - 1)->frame.boxes[track.last.index].box;
  before = joined(before, moved_back(seen.box, track.seen, seen.moved));
  return joined(seen.box, seen.moved);
}

/// Fills the gap since the track's last sighting: adds boxes to the frames before `seen`.
void WaitingFrames::Impl::fill(Shown& track, const SeenTrack& seen, const Waiting& now) {
  gap_.clear();
  std::uint32_t at = seen.missed;
  for (std::int64_t frame = now.frame.number - 1; at != kNowhere; --frame) {
    Waiting* const in = waiting(frame);
    if (in == nullptr) break;
    gap_.emplace_back(in, at);
    at = in->missed[at].before;
  }
  for (const auto& [in, place] : std::views::reverse(gap_)) {
    const MissedTrack& missed = in->missed[place];
    const double k = (in->frame.time_s - track.seen_s) / (now.frame.time_s - track.seen_s);
    const float score = in->frame.searched ? 0 : (track.score + seen.score) / 2;
    TrackedBox box{seen.id,         missed.box,      0, score, BoxState::filled,
                   seen.was_hidden, seen.found_class};
    if (missed.held != kNowhere)
      in->frame.boxes[in->first_held + missed.held] = box;
    else
      show(track, *in, box);
    box.box = between(track.seen, seen.box, static_cast<float>(k));
    show(track, *in, box);
  }
}

/// Hides the boxes that the track has in waiting frames.
void WaitingFrames::Impl::hide(const Shown& track) {
  BoxPlace at = track.last;
  // `earlier` of a box leads to a box in the same frame or in an earlier frame.
  while (Waiting* const in = waiting(at.frame)) {
    in->frame.boxes[at.index].hidden = true;
    at = in->earlier[at.index];
  }
}

/// Follows tracks backwards. If a device follows the boxes, each call of the estimator takes long,
/// and a call for each frame would be slow. But usually we can guess where a track goes: from
/// sighting to sighting. So trace_back() guesses the boxes of the tracks in all frames, and one
/// call of the estimator computes all these steps. go_back() repeats this with the new results
/// until no step is guessed. So guesses don't affect the result.
std::vector<ShownBack> WaitingFrames::Impl::go_back(const std::vector<Backward>& going) {
  followed_back_.clear();
  std::vector<BoxStep> unknown;
  std::vector<ShownBack> shown = trace_back(going, unknown);
  while (!unknown.empty()) {
    followed_back_.add(unknown, motion_.follow(unknown));
    unknown.clear();
    shown = trace_back(going, unknown);
  }
  return shown;
}

/// Follows all these tracks backwards frame by frame, so that one call of follow() has the boxes of
/// all tracks.
/// @param unknown  gets the steps whose results were guessed
std::vector<ShownBack> WaitingFrames::Impl::trace_back(std::vector<Backward> going,
                                                       std::vector<BoxStep>& unknown) {
  std::vector<ShownBack> shown;
  PointBudget budget;
  const std::int64_t oldest = waiting_.front().frame.number;
  for (std::int64_t i = newest() - 1; i >= oldest && !going.empty(); --i) {
    for (Backward& track : going) track.over = i < track.from && !goes_on(track, i);
    std::erase_if(going, [](const Backward& track) { return track.over; });
    Waiting& then = *waiting(i);
    follow_back(going, then, i, budget, unknown);
    for (Backward& track : going)
      if (i < track.from && !track.over) shown.push_back(shown_back(track, then));
    std::erase_if(going, [](const Backward& track) { return track.over; });
  }
  return shown;
}

std::vector<Backward> WaitingFrames::Impl::newly_hidden(std::span<const SeenTrack> seen,
                                                        const Waiting& now) {
  std::vector<Backward> going;
  for (const SeenTrack& each : seen) {
    if (!each.hides) continue;
    const Shown track = each.first ? first_shown(each, now) : tracks_[each.slot];
    const Waiting* const first = waiting(track.first_frame);
    if (first == nullptr) continue;
    const double first_s = first->frame.time_s;
    going.push_back({each.slot, each.id, hold_of(each.sure, options_), track.first_frame, first_s,
                     first_s, track.first_box, first, false, track.found_class});
  }
  return going;
}

bool WaitingFrames::Impl::goes_on(const Backward& going, std::int64_t frame) {
  const TrackedFrame& next = waiting(frame + 1)->frame;
  if (next.cut) return false;
  if (frame == going.from - 1 || !next.searched) return true;
  const double time_s = waiting(frame)->frame.time_s;
  return going.seen_s - time_s <= going.hold_s + kSameTime &&
         going.first_s - time_s <= options_.back_s + kSameTime;
}

void WaitingFrames::Impl::follow_back(std::vector<Backward>& going, const Waiting& then,
                                      std::int64_t frame, PointBudget& budget,
                                      std::vector<BoxStep>& unknown) {
  if (!then.picture) return;
  std::vector<Backward*> followed;
  for (Backward& track : going)
    if (frame < track.from && track.at->picture) followed.push_back(&track);
  const int grid = budget.grid_for(followed.size());
  budget.spend(grid, followed.size());
  std::vector<BoxStep> steps;
  for (const Backward* track : followed) steps.push_back(step_to(then, *track, grid));
  const std::vector<Box> places = follow(steps, unknown);
  for (std::size_t i = 0; i < followed.size(); ++i) go_to(then, places[i], *followed[i]);
}

/// Returns the boxes after these steps. If calls of the estimator take long (is_far()), uses only
/// results in followed_back_, and guesses the result of each other step: the box follows the
/// camera. A box with grid 0 follows the camera in any case.
std::vector<Box> WaitingFrames::Impl::follow(std::span<const BoxStep> steps,
                                             std::vector<BoxStep>& unknown) {
  if (!motion_.is_far()) return motion_.follow(steps);
  std::vector<Box> places;
  places.reserve(steps.size());
  for (const BoxStep& step : steps) {
    const Box* const known = step.grid > 0 ? followed_back_.place_of(step) : nullptr;
    places.push_back(known != nullptr ? *known : moved(step.box, step.camera));
    if (step.grid > 0 && known == nullptr) unknown.push_back(step);
  }
  return places;
}

/// Moves the track to the sighting that fits best, and returns it; nullptr if none fits.
const Sighting* WaitingFrames::Impl::snap(Backward& going, const Waiting& then) {
  const Sighting* const best =
      nearest(then, going.box, going.found_class, options_.continue_score, room_);
  if (best == nullptr) return nullptr;
  going.box = best->box;
  going.seen_s = then.frame.time_s;
  return best;
}

ShownBack WaitingFrames::Impl::shown_back(Backward& going, const Waiting& then) {
  TrackedBox shown{going.id, going.box, 0, 0, BoxState::held, true, going.found_class};
  if (const Sighting* const best = snap(going, then)) {
    shown.box = best->box;
    shown.score = best->score;
    shown.state = BoxState::seen;
  }
  shown.grow = grow_after(going.seen_s - then.frame.time_s, options_);
  return {going.slot, then.frame.number, shown};
}

/// Adds boxes for the missed tracks that are held. The frame keeps all missed tracks, because they
/// are filled in if they are seen again (see fill()).
void WaitingFrames::Impl::miss(std::vector<MissedTrack> missed, Waiting& now) {
  now.first_held = now.frame.boxes.size();
  for (const MissedTrack& each : missed)
    if (each.held != kNowhere)
      show(tracks_[each.slot], now,
           {each.id, each.box, each.grow, 0, BoxState::held, true, tracks_[each.slot].found_class});
  now.missed = std::move(missed);
}

/// Drops `missed` of the frames up to `since_s`, because fill() doesn't need them any more.
void WaitingFrames::Impl::drop_missed(double since_s) {
  for (; oldest_missed_ <= newest(); ++oldest_missed_) {
    Waiting* const oldest = waiting(oldest_missed_);
    if (oldest == nullptr) continue;
    if (oldest->frame.time_s > since_s) break;
    oldest->missed = std::vector<MissedTrack>();  // assigned so that no memory is kept
  }
}

void WaitingFrames::Impl::end(std::span<const EndedTrack> tracks, TrackerOutput& out) const {
  out.ended.reserve(tracks.size());
  for (const auto& [slot, summary] : tracks) {
    out.ended.push_back(summary);
    out.ended.back().first_frame = tracks_[slot].first_frame;
  }
}

void WaitingFrames::Impl::show(Shown& track, Waiting& in, const TrackedBox& box) {
  show(in, box, track.last);
  track.last = {in.frame.number, in.frame.boxes.size() - 1};
}

/// Adds a box to a frame.
/// @param earlier  the track's previous box, for hide(); may be empty if the track is hidden
void WaitingFrames::Impl::show(Waiting& in, const TrackedBox& box, BoxPlace earlier) {
  if (++waiting_boxes_ > kMostWaitingBoxes)
    throw Error(ErrorKind::device, "tracks: more than " + std::to_string(kMostWaitingBoxes) +
                                       " boxes wait at frame " + std::to_string(newest()));
  in.frame.boxes.push_back(box);
  in.earlier.push_back(earlier);
}

void WaitingFrames::Impl::let_out(TrackerOutput& out) {
  const bool bounded = std::isfinite(options_.look_ahead_s);
  while (bounded && waiting_.size() > 1) {
    Waiting& first = waiting_.front();
    if (waiting_.back().frame.time_s - first.frame.time_s < options_.look_ahead_s - kSameTime &&
        std::cmp_less_equal(waiting_.size(), options_.most_waiting))
      break;
    waiting_boxes_ -= first.frame.boxes.size();
    out.frames.push_back(std::move(first.frame));
    waiting_.pop_front();
  }
}

/// Drops the pictures of frames that are too old for tracks that are followed backwards.
void WaitingFrames::Impl::drop_pictures() {
  for (; oldest_picture_ < newest() - 1; ++oldest_picture_) {
    Waiting* const oldest = waiting(oldest_picture_);
    if (oldest == nullptr) continue;
    if (waiting_.back().frame.time_s - oldest->frame.time_s <= options_.back_s + kSameTime &&
        newest() + 1 - oldest_picture_ <= kMostPictures)
      break;
    oldest->picture = nullptr;
    oldest->sightings = std::vector<Sighting>();  // assigned so that no memory is kept
    oldest->among = {};
  }
}

WaitingFrames::WaitingFrames(MotionEstimator& motion, const TrackerOptions& options)
    : impl_(std::make_unique<Impl>(motion, options)) {}
WaitingFrames::~WaitingFrames() = default;
WaitingFrames::WaitingFrames(WaitingFrames&&) noexcept = default;
WaitingFrames& WaitingFrames::operator=(WaitingFrames&&) noexcept = default;

TrackerOutput WaitingFrames::add(TrackStep followed) { return impl_->add(std::move(followed)); }
TrackerOutput WaitingFrames::flush(const std::vector<EndedTrack>& ended) {
  return impl_->flush(ended);
}

}  // namespace facepipe::track
