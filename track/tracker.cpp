#include "track/tracker.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/error.h"
#include "track/matching.h"
#include "track/motion.h"
#include "track/motion_rules.h"
#include "track/neighbours.h"

namespace facepipe {
namespace {

constexpr std::int64_t kMostPictures = 256;
/// Stamps are rounded to their time base: so much more is not later.
constexpr double kSameTime = 1e-6;
/// The IoU from which on two faces' boxes hold points of both.
constexpr float kLeastCrossing = 0.15F;
/// After so long half of a track's velocity is forgotten: a frame of 25 a second, at which it was
/// chosen. Of steps that are shorter, which tell less, less is taken.
constexpr double kVelocityHalf_s = 0.04;
// See start_score_of().
constexpr float kUsualSide = 40;
constexpr float kSizeExponent = 0.3F;
constexpr float kMostStart = 0.25F;

/// `box` as it was before the motion that took `from` to `to`.
Box moved_back(const Box& box, const Box& from, const Box& to) {
  const float scale = from.width() / to.width();
  const float x = (box.x1 + box.x2 + from.x1 + from.x2 - to.x1 - to.x2) / 2;
  const float y = (box.y1 + box.y2 + from.y1 + from.y2 - to.y1 - to.y2) / 2;
  const float half_width = box.width() * scale / 2;
  const float half_height = box.height() * scale / 2;
  return {x - half_width, y - half_height, x + half_width, y + half_height};
}

struct Sighting {
  Box box;
  float score = 0;
  std::size_t detection = 0;  ///< of its frame's
};

/// A box of a frame.
struct BoxPlace {
  std::int64_t frame = -1;
  std::size_t index = 0;
};

/// A frame that waits.
struct Waiting {
  TrackedFrame frame;
  std::vector<BoxPlace> earlier;  ///< of each box: which of its track was shown before it
  std::shared_ptr<const MotionPicture> picture;  ///< null: damaged, or no longer needed
  Similarity camera;  ///< from the picture before, which may not be the frame's before
  std::vector<Sighting> sightings;
  std::optional<Neighbours> among;  ///< the sightings, once it was looked for one of them
};

/// The sighting of `least` score or more that fits the box best, the first of equals; null: none
/// does.
const Sighting* nearest(Waiting& in, const Box& box, float least) {
  if (!in.among) {
    std::vector<Box> boxes;
    for (const Sighting& sighting : in.sightings) boxes.push_back(sighting.box);
    in.among.emplace(boxes);
  }
  const Sighting* best = nullptr;
  float most = 0;
  for (const Fit& fit : fits_of(box, *in.among)) {
    const Sighting* const sighting = &in.sightings[fit.number];
    const bool better = fit.affinity > most || (fit.affinity == most && sighting < best);
    if (sighting->score < least || !better) continue;
    most = fit.affinity;
    best = sighting;
  }
  return best;
}

/// A box that was moved on without a sighting.
struct Moved {
  std::int64_t frame = 0;
  Box box;
  std::optional<std::size_t> shown;  ///< where in the frame's boxes it stands, if it does
};

struct Track {
  TrackSummary summary;
  Box box;                    ///< in the newest frame
  Sighting last;              ///< the last sighting
  double last_s = 0;          ///< its time
  BoxPlace last_shown;        ///< the newest of its boxes
  std::vector<Moved> missed;  ///< since the last sighting
  int misses = 0;             ///< of them: in frames that were searched
  Point velocity;             ///< against the camera, in pixels a second
  Box first_box;              ///< of the first sighting, where going backwards begins
};

/// A track on its way back from its first sighting, step by step.
struct Backward {
  std::size_t track = 0;        ///< in the list of tracks
  std::int64_t from = 0;        ///< the frame of the first sighting
  double first_s = 0;           ///< its time
  double seen_s = 0;            ///< that of the last sighting on the way
  Box box;                      ///< where the track is now
  const Waiting* at = nullptr;  ///< the frame in whose picture it is
  bool over = false;
};

/// From where the track is.
BoxStep step_to(const Waiting& then, const Backward& track, int grid) {
  return {track.at->picture.get(), then.picture.get(), track.box, track.at->camera.inverse(), grid};
}

void go_to(const Waiting& then, const Box& place, Backward& track) {
  track.box = place;
  track.at = &then;
  track.over = !is_usable(place) || !meets(place, then.picture->size());
}

/// A box that a track gets in a frame before its first sighting.
struct ShownBack {
  std::size_t track = 0;  ///< in the list of tracks
  std::int64_t frame = 0;
  TrackedBox box;
};

/// Steps that were followed on the way back, and where they led.
class FollowedSteps {
 public:
  void clear() { steps_.clear(), places_.clear(); }
  void add(std::span<const BoxStep> steps, std::span<const Box> places) {
    steps_.insert(steps_.end(), steps.begin(), steps.end());
    places_.insert(places_.end(), places.begin(), places.end());
  }
  /// Null where it is none of them.
  [[nodiscard]] const Box* place_of(const BoxStep& step) const {
    const auto found = std::ranges::find(steps_, step);
    return found == steps_.end() ? nullptr
                                 : &places_[static_cast<std::size_t>(found - steps_.begin())];
  }

 private:
  std::vector<BoxStep> steps_;
  std::vector<Box> places_;
};

/// Points that may still be followed in a frame.
class PointBudget {
 public:
  [[nodiscard]] int grid_for(std::size_t boxes) const { return facepipe::grid_for(boxes, left_); }
  void spend(int grid, std::size_t boxes) { left_ -= grid * grid * static_cast<int>(boxes); }

 private:
  int left_ = kMostFlowPoints;
};

}  // namespace

float start_score_of(const Box& box, float start_score) {
  const float side = std::sqrt(box.width() * box.height());
  return std::clamp(start_score * std::pow(side / kUsualSide, kSizeExponent), start_score,
                    std::max(kMostStart, start_score));
}

void check_tracker_options(const TrackerOptions& options) {
  const auto check = [](bool right, const char* reason) {
    if (!right) throw Error(ErrorKind::usage, std::string("tracks: ") + reason);
  };
  for (const float score : {options.start_score, options.lone_score, options.continue_score,
                            options.doubtful_score, options.sure_score})
    check(score >= 0 && score <= 1, "scores are from 0 to 1");
  check(options.continue_score <= options.start_score,
        "what continues a track may not need more than what starts one");
  for (const double time : {options.hold_s, options.weak_hold_s, options.gap_s, options.back_s})
    check(time >= 0 && time <= 60, "times are from 0 to 60 seconds");
  check(options.look_ahead_s >= 0, "the look-ahead is a time from 0 on");
  check(options.most_waiting >= 1 && options.most_waiting <= kMostWaitingFrames,
        "from 1 to 512 frames may wait");
  check(options.grow_per_s >= 0 && options.grow_per_s <= 10, "boxes grow by 0 to 10 a second");
}

class Tracker::Impl {
 public:
  Impl(const TrackerOptions& options, MotionEstimator& motion)
      : options_(options), motion_(motion) {
    check_tracker_options(options);
  }

  TrackerOutput push(TrackerInput input);
  TrackerOutput flush();

 private:
  void check_whole() const;
  void check(const TrackerInput& input) const;
  Waiting& append(TrackerInput& input);
  void look(Waiting& now, const TrackerInput& input);
  [[nodiscard]] PictureChange change_to(const TrackerInput& input);
  void move_on(const Waiting& now);
  void follow_hidden(const Waiting& now);
  void take(Waiting& now);
  template <typename Accept>
  void take(Waiting& now, bool hidden, std::vector<bool>& used, Accept accept);
  void start(Waiting& now, const std::vector<bool>& used);
  void see(Track& track, Waiting& now, const Sighting& sighting);
  [[nodiscard]] Point velocity(const Track& track, const Similarity& camera, const Box& seen) const;
  Box cover_neighbour(const Track& track, const Waiting& now, const Box& seen);
  void fill(Track& track, const Waiting& now, const Sighting& sighting);
  void hide(Track& track);
  void go_back();
  [[nodiscard]] std::vector<Backward> newly_hidden();
  [[nodiscard]] bool goes_on(const Backward& going, std::int64_t frame);
  [[nodiscard]] std::vector<ShownBack> trace_back(std::vector<Backward> going,
                                                  std::vector<BoxStep>& unknown);
  void follow_back(std::vector<Backward>& going, const Waiting& then, std::int64_t frame,
                   PointBudget& budget, std::vector<BoxStep>& unknown);
  [[nodiscard]] std::vector<Box> follow(std::span<const BoxStep> steps,
                                        std::vector<BoxStep>& unknown);
  const Sighting* snap(Backward& going, Waiting& then) const;
  [[nodiscard]] ShownBack shown_back(Backward& going, Waiting& then) const;
  void hold(Waiting& now);
  void forget_let_out(Track& track) const;
  [[nodiscard]] Box coasted(const Track& track, const Similarity& camera) const;
  void end(Track& track);
  void end_where(const std::vector<bool>& over);
  void let_out(TrackerOutput& out);
  void drop_pictures();
  void show(Track& track, Waiting& in, const TrackedBox& box);
  void show(Waiting& in, const TrackedBox& box, BoxPlace earlier);

  /// Null where it is out.
  Waiting* waiting(std::int64_t frame) {
    const std::int64_t i = waiting_.empty() ? -1 : frame - waiting_.front().frame.number;
    return i < 0 ? nullptr : &waiting_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] bool starts(const Sighting& sighting) const {
    return sighting.score >= options_.start_score &&
           sighting.score >= start_score_of(sighting.box, options_.start_score);
  }
  /// Where no hidden track takes it.
  [[nodiscard]] bool is_of_use(const Sighting& sighting) const {
    return sighting.score >= std::min(options_.doubtful_score, options_.lone_score) ||
           starts(sighting);
  }
  [[nodiscard]] bool is_sure(const Track& track) const {
    return track.summary.best_score >= options_.sure_score;
  }
  [[nodiscard]] double hold_s(const Track& track) const {
    return is_sure(track) ? options_.hold_s : options_.weak_hold_s;
  }
  [[nodiscard]] float grown(double seconds) const {
    return options_.grow_per_s * static_cast<float>(seconds);
  }

  TrackerOptions options_;
  MotionEstimator& motion_;
  std::deque<Waiting> waiting_;
  std::vector<Track> tracks_;               ///< by id
  std::vector<std::int64_t> newly_hidden_;  ///< ids, by this frame
  std::vector<TrackSummary> ended_;
  std::vector<std::int64_t> taken_by_;  ///< of the newest frame's detections
  std::shared_ptr<const MotionPicture> last_picture_;
  std::shared_ptr<const MotionPicture> before_;  ///< what `last_picture_` was compared with
  std::optional<double> last_s_;
  double picture_s_ = 0;  ///< the time of `last_picture_`
  double step_s_ = 0;     ///< from `before_` to `last_picture_`
  std::int64_t next_frame_ = 0;
  std::int64_t next_track_ = 0;
  std::int64_t oldest_picture_ = 0;  ///< no frame before this one has its picture
  std::size_t waiting_boxes_ = 0;
  bool broken_ = false;          ///< a frame that waits may lack what is to be hidden
  FollowedSteps followed_back_;  ///< by those that go backwards now
};

TrackerOutput Tracker::Impl::push(TrackerInput input) {
  check_whole();
  broken_ = true;
  check(input);
  Waiting& now = append(input);
  move_on(now);
  if (!now.frame.hide_all) take(now);
  go_back();
  hold(now);
  TrackerOutput out;
  out.taken_by = taken_by_;
  let_out(out);
  drop_pictures();
  broken_ = false;
  return out;
}

TrackerOutput Tracker::Impl::flush() {
  check_whole();
  for (Track& track : tracks_) end(track);
  tracks_.clear();
  TrackerOutput out;
  out.ended = std::exchange(ended_, {});
  for (Waiting& waiting : waiting_) out.frames.push_back(std::move(waiting.frame));
  waiting_.clear();
  waiting_boxes_ = 0;
  last_picture_ = before_ = nullptr;
  last_s_ = std::nullopt;
  return out;
}

void Tracker::Impl::check_whole() const {
  if (broken_) throw Error(ErrorKind::internal, "tracks: used after an error");
}

void Tracker::Impl::check(const TrackerInput& input) const {
  const auto name = [&] { return "tracks: frame " + std::to_string(next_frame_); };
  if (!std::isfinite(input.time_s) || (last_s_ && !(input.time_s > *last_s_)))
    throw Error(ErrorKind::internal, name() + " is not later than the frame before");
  if (input.searched && input.detections != nullptr && input.detections->size() > kMostDetections)
    throw Error(ErrorKind::device, name() + " has " + std::to_string(input.detections->size()) +
                                       " detections, more than " + std::to_string(kMostDetections));
}

Waiting& Tracker::Impl::append(TrackerInput& input) {
  // As many as the frame has to which nothing is added any more.
  const std::size_t usual_boxes = waiting_.empty() ? 0 : waiting_.front().frame.boxes.size();
  Waiting& now = waiting_.emplace_back();
  now.frame.boxes.reserve(usual_boxes);
  now.earlier.reserve(usual_boxes);
  now.frame.number = next_frame_++;
  now.frame.time_s = input.time_s;
  now.frame.searched = input.searched;
  now.frame.hide_all = (input.searched && input.detections == nullptr) || !input.picture;
  now.frame.cut = !last_s_;
  last_s_ = input.time_s;
  const bool has_findings = input.searched && input.detections != nullptr;
  taken_by_.assign(has_findings ? input.detections->size() : 0, kNoTrack);
  if (has_findings && !now.frame.hide_all) {
    const float least = std::min({options_.doubtful_score, options_.continue_score,
                                  options_.lone_score, options_.start_score});
    now.sightings.reserve(input.detections->size());
    for (std::size_t i = 0; i < input.detections->size(); ++i)
      if (input.detections->scores[i] >= least && is_usable(input.detections->boxes[i]))
        now.sightings.push_back({input.detections->boxes[i], input.detections->scores[i], i});
  }
  if (input.picture) look(now, input);
  return now;
}

void Tracker::Impl::look(Waiting& now, const TrackerInput& input) {
  now.picture = input.picture;
  before_ = std::exchange(last_picture_, now.picture);
  step_s_ = now.frame.time_s - std::exchange(picture_s_, now.frame.time_s);
  if (!before_) return;
  const PictureChange change = change_to(input);
  now.camera = change.camera;
  now.frame.cut = change.cut;
  if (!change.cut) return;
  for (Track& track : tracks_) end(track);
  tracks_.clear();
}

PictureChange Tracker::Impl::change_to(const TrackerInput& input) {
  if (input.compared && input.compared->before == before_) return input.compared->change;
  return motion_.compare(*before_, *input.picture);
}

void Tracker::Impl::move_on(const Waiting& now) {
  if (!now.picture || !before_) return;
  follow_hidden(now);
  std::vector<bool> over(tracks_.size());
  for (std::size_t i = 0; i < tracks_.size(); ++i)
    over[i] = !is_usable(tracks_[i].box) || !meets(tracks_[i].box, now.picture->size());
  end_where(over);
}

/// Doubtful tracks follow the camera alone: there may be many, and nothing is hidden by them. Where
/// two faces cross, the points in either's box may be the other's, and each goes on as it went.
void Tracker::Impl::follow_hidden(const Waiting& now) {
  std::vector<Box> hidden;
  for (const Track& track : tracks_)
    if (track.summary.hidden) hidden.push_back(track.box);
  const int grid = PointBudget{}.grid_for(hidden.size());
  std::vector<bool> crossing;
  if (grid > 0) crossing = which_cross(hidden, kLeastCrossing);
  std::vector<BoxStep> steps;
  std::vector<Track*> followed;
  std::size_t of_hidden = 0;
  for (Track& track : tracks_) {
    if (!track.summary.hidden || grid == 0) {
      track.box = moved(track.box, now.camera);
    } else if (crossing[of_hidden++]) {
      track.box = coasted(track, now.camera);
    } else {
      steps.push_back({before_.get(), now.picture.get(), track.box, now.camera, grid});
      followed.push_back(&track);
    }
  }
  const std::vector<Box> places = motion_.follow(steps);
  for (std::size_t i = 0; i < followed.size(); ++i) followed[i]->box = places[i];
}

Box Tracker::Impl::coasted(const Track& track, const Similarity& camera) const {
  const Box box = moved(track.box, camera);
  // By its size at most, however far apart the frames are: a guess must not end a track.
  const auto step = [&](float velocity, float size) {
    return std::clamp(velocity * static_cast<float>(step_s_), -size, size);
  };
  const float x = step(track.velocity.x, box.width());
  const float y = step(track.velocity.y, box.height());
  return {box.x1 + x, box.y1 + y, box.x2 + x, box.y2 + y};
}

void Tracker::Impl::take(Waiting& now) {
  std::vector<bool> used(now.sightings.size());
  take(now, true, used, [&](const Sighting& sighting) { return starts(sighting); });
  take(now, true, used,
       [&](const Sighting& sighting) { return sighting.score >= options_.continue_score; });
  take(now, false, used, [&](const Sighting& sighting) { return is_of_use(sighting); });
  start(now, used);
}

/// Tracks of this kind that aren't seen yet take detections that are left and that `accept` takes.
template <typename Accept>
void Tracker::Impl::take(Waiting& now, bool hidden, std::vector<bool>& used, Accept accept) {
  std::vector<Box> predictions;
  std::vector<std::size_t> tracks;
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const Track& track = tracks_[i];
    if (track.summary.hidden != hidden || track.last_s == now.frame.time_s) continue;
    predictions.push_back(track.box);
    tracks.push_back(i);
  }
  std::vector<Box> boxes;
  std::vector<std::size_t> detections;
  for (std::size_t i = 0; i < now.sightings.size(); ++i) {
    const Sighting& sighting = now.sightings[i];
    if (used[i] || !accept(sighting)) continue;
    boxes.push_back(sighting.box);
    detections.push_back(i);
  }
  for (const auto& [prediction, box] : match_greedily(predictions, boxes)) {
    used[detections[box]] = true;
    see(tracks_[tracks[prediction]], now, now.sightings[detections[box]]);
  }
}

void Tracker::Impl::start(Waiting& now, const std::vector<bool>& used) {
  for (std::size_t i = 0; i < now.sightings.size(); ++i) {
    const Sighting& sighting = now.sightings[i];
    if (used[i] || !is_of_use(sighting)) continue;
    const bool room = tracks_.size() < (starts(sighting) ? kMostTracks : kMostTracks / 2);
    if (!room && starts(sighting))
      throw Error(ErrorKind::device, "tracks: there are more than " + std::to_string(kMostTracks) +
                                         " at frame " + std::to_string(now.frame.number));
    Track track;
    track.summary.id = next_track_++;
    track.summary.first_frame = now.frame.number;
    track.first_box = sighting.box;
    see(track, now, sighting);
    if (room)
      tracks_.push_back(std::move(track));
    else
      end(track);
  }
}

void Tracker::Impl::see(Track& track, Waiting& now, const Sighting& sighting) {
  TrackSummary& summary = track.summary;
  summary.best_score = std::max(summary.best_score, sighting.score);
  fill(track, now, sighting);
  const Box cover = cover_neighbour(track, now, sighting.box);
  if (summary.sightings > 0 && track.missed.empty())
    track.velocity = velocity(track, now.camera, sighting.box);
  track.box = sighting.box;
  track.last = sighting;
  track.last_s = now.frame.time_s;
  taken_by_[sighting.detection] = summary.id;
  track.missed.clear();
  track.misses = 0;
  ++summary.sightings;
  summary.last_frame = now.frame.number;
  const bool hidden = summary.hidden || sighting.score >= options_.lone_score;
  show(track, now, {summary.id, cover, 0, sighting.score, BoxState::seen, hidden});
  if (!summary.hidden && starts(sighting)) hide(track);
}

Point Tracker::Impl::velocity(const Track& track, const Similarity& camera, const Box& seen) const {
  const Box still = moved(track.last.box, camera);
  const double step_s = std::max(step_s_, kSameTime);
  const auto share = static_cast<float>(1 - std::exp2(-step_s / kVelocityHalf_s));
  const auto mix = [&](float old, float step) {
    const float now = step / 2 / static_cast<float>(step_s);
    return old + share * (now - old);
  };
  return {mix(track.velocity.x, seen.x1 + seen.x2 - still.x1 - still.x2),
          mix(track.velocity.y, seen.y1 + seen.y2 - still.y1 - still.y2)};
}

/// What is to be shown for `seen`: of a sure face that was seen in the frame before, what it
/// covered there as well. That frame's box covers `seen`, too.
Box Tracker::Impl::cover_neighbour(const Track& track, const Waiting& now, const Box& seen) {
  const bool next = track.summary.sightings > 0 && track.missed.empty();
  if (!next || !is_sure(track)) return seen;
  Box& before = waiting(now.frame.number - 1)->frame.boxes[track.last_shown.index].box;
  before = joined(before, moved_back(seen, track.last.box, track.box));
  return joined(seen, track.box);
}

/// The frames since the last sighting, which lie between two now.
void Tracker::Impl::fill(Track& track, const Waiting& now, const Sighting& sighting) {
  for (const Moved& moved : track.missed) {
    Waiting* const frame = waiting(moved.frame);
    if (frame == nullptr) continue;
    const double k = (frame->frame.time_s - track.last_s) / (now.frame.time_s - track.last_s);
    const float score = frame->frame.searched ? 0 : (track.last.score + sighting.score) / 2;
    TrackedBox box{track.summary.id, moved.box, 0, score, BoxState::filled, track.summary.hidden};
    if (moved.shown)
      frame->frame.boxes[*moved.shown] = box;
    else
      show(track, *frame, box);
    box.box = between(track.last.box, sighting.box, static_cast<float>(k));
    show(track, *frame, box);
  }
}

/// From now on, and in the frames that wait.
void Tracker::Impl::hide(Track& track) {
  track.summary.hidden = true;
  BoxPlace at = track.last_shown;
  while (Waiting* const in = waiting(at.frame)) {  // each box' frame is its or one before it
    in->frame.boxes[at.index].hidden = true;
    at = in->earlier[at.index];
  }
  newly_hidden_.push_back(track.summary.id);
}

/// Where the device follows, each answer takes long, and going back frame by frame would wait for
/// as many as there are frames. Mostly it can be guessed where a track goes: from sighting to
/// sighting. So all steps of a way that is guessed are asked for at once, and the way is guessed
/// again by the answers, until it has no step that isn't known. Guesses decide nothing.
void Tracker::Impl::go_back() {
  const std::vector<Backward> going = newly_hidden();
  followed_back_.clear();
  std::vector<BoxStep> unknown;
  std::vector<ShownBack> shown = trace_back(going, unknown);
  while (!unknown.empty()) {
    followed_back_.add(unknown, motion_.follow(unknown));
    unknown.clear();
    shown = trace_back(going, unknown);
  }
  for (const ShownBack& each : shown) {
    show(*waiting(each.frame), each.box, {});
    tracks_[each.track].summary.first_frame = each.frame;
  }
}

/// Those that go back, side by side from frame to frame: motion is looked for in many boxes at
/// once.
/// @param unknown  gets the steps of which it was guessed where they lead
std::vector<ShownBack> Tracker::Impl::trace_back(std::vector<Backward> going,
                                                 std::vector<BoxStep>& unknown) {
  std::vector<ShownBack> shown;
  PointBudget budget;
  const std::int64_t oldest = waiting_.front().frame.number;
  for (std::int64_t i = next_frame_ - 2; i >= oldest && !going.empty(); --i) {
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

std::vector<Backward> Tracker::Impl::newly_hidden() {
  std::vector<Backward> going;
  for (const std::int64_t id : std::exchange(newly_hidden_, {})) {
    const auto track = std::ranges::lower_bound(
        tracks_, id, {}, [](const Track& other) { return other.summary.id; });
    const Waiting* const first = waiting(track->summary.first_frame);
    if (first == nullptr) continue;
    const double first_s = first->frame.time_s;
    going.push_back({static_cast<std::size_t>(track - tracks_.begin()), track->summary.first_frame,
                     first_s, first_s, track->first_box, first});
  }
  return going;
}

bool Tracker::Impl::goes_on(const Backward& going, std::int64_t frame) {
  const TrackedFrame& next = waiting(frame + 1)->frame;
  if (next.cut) return false;
  if (frame == going.from - 1 || !next.searched) return true;
  const double time_s = waiting(frame)->frame.time_s;
  return going.seen_s - time_s <= hold_s(tracks_[going.track]) + kSameTime &&
         going.first_s - time_s <= options_.back_s + kSameTime;
}

void Tracker::Impl::follow_back(std::vector<Backward>& going, const Waiting& then,
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

/// Where an answer takes long, what isn't known yet is guessed: that the boxes follow the camera.
/// Those without points do.
std::vector<Box> Tracker::Impl::follow(std::span<const BoxStep> steps,
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

/// Onto the sighting that fits best; null: none does.
const Sighting* Tracker::Impl::snap(Backward& going, Waiting& then) const {
  const Sighting* const best = nearest(then, going.box, options_.continue_score);
  if (best == nullptr) return nullptr;
  going.box = best->box;
  going.seen_s = then.frame.time_s;
  return best;
}

ShownBack Tracker::Impl::shown_back(Backward& going, Waiting& then) const {
  TrackedBox shown{tracks_[going.track].summary.id, going.box, 0, 0, BoxState::held, true};
  if (const Sighting* const best = snap(going, then)) {
    shown.box = best->box;
    shown.score = best->score;
    shown.state = BoxState::seen;
  }
  shown.grow = grown(going.seen_s - then.frame.time_s);
  return {going.track, then.frame.number, shown};
}

/// Tracks that this frame doesn't show go on for a while.
void Tracker::Impl::hold(Waiting& now) {
  std::vector<bool> over(tracks_.size());
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    Track& track = tracks_[i];
    if (track.last_s == now.frame.time_s) continue;
    const double missed_s = now.frame.time_s - track.last_s;
    if (now.frame.searched) ++track.misses;
    const bool first = track.misses <= 1;
    const bool held = track.summary.hidden && (first || missed_s <= hold_s(track) + kSameTime);
    over[i] = !held && !first && missed_s > options_.gap_s + kSameTime;
    if (over[i]) continue;
    forget_let_out(track);
    Moved& moved = track.missed.emplace_back();
    moved.frame = now.frame.number;
    moved.box = track.box;
    if (!held) continue;
    show(track, now, {track.summary.id, track.box, grown(missed_s), 0, BoxState::held, true});
    moved.shown = track.last_shown.index;
    track.summary.last_frame = now.frame.number;
  }
  end_where(over);
}

/// Where its frames are out, a track's boxes in them can't be filled. The last stays, because it
/// tells that the track was missed.
void Tracker::Impl::forget_let_out(Track& track) const {
  if (track.missed.size() < 2 * kMostWaitingFrames) return;
  const std::int64_t oldest = waiting_.front().frame.number;
  const auto waits = [&](const Moved& moved) { return moved.frame >= oldest; };
  track.missed.erase(track.missed.begin(),
                     std::find_if(track.missed.begin(), track.missed.end() - 1, waits));
}

void Tracker::Impl::end(Track& track) { ended_.push_back(track.summary); }

void Tracker::Impl::end_where(const std::vector<bool>& over) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    if (over[i])
      end(tracks_[i]);
    else if (kept++ != i)
      tracks_[kept - 1] = std::move(tracks_[i]);
  }
  tracks_.resize(kept);
}

void Tracker::Impl::show(Track& track, Waiting& in, const TrackedBox& box) {
  show(in, box, track.last_shown);
  track.last_shown = {in.frame.number, in.frame.boxes.size() - 1};
}

/// @param earlier  the track's box before it, as long as the track isn't hidden
void Tracker::Impl::show(Waiting& in, const TrackedBox& box, BoxPlace earlier) {
  if (++waiting_boxes_ > kMostWaitingBoxes)
    throw Error(ErrorKind::device, "tracks: more than " + std::to_string(kMostWaitingBoxes) +
                                       " boxes wait at frame " + std::to_string(next_frame_ - 1));
  in.frame.boxes.push_back(box);
  in.earlier.push_back(earlier);
}

void Tracker::Impl::let_out(TrackerOutput& out) {
  out.ended = std::exchange(ended_, {});
  const bool bounded = std::isfinite(options_.look_ahead_s);
  while (bounded && waiting_.size() > 1) {
    Waiting& first = waiting_.front();
    if (*last_s_ - first.frame.time_s < options_.look_ahead_s - kSameTime &&
        std::cmp_less_equal(waiting_.size(), options_.most_waiting))
      break;
    waiting_boxes_ -= first.frame.boxes.size();
    out.frames.push_back(std::move(first.frame));
    waiting_.pop_front();
  }
}

/// Of frames that going backwards can't reach any more.
void Tracker::Impl::drop_pictures() {
  for (; oldest_picture_ < next_frame_ - 2; ++oldest_picture_) {
    Waiting* const oldest = waiting(oldest_picture_);
    if (oldest == nullptr) continue;
    if (*last_s_ - oldest->frame.time_s <= options_.back_s + kSameTime &&
        next_frame_ - oldest_picture_ <= kMostPictures)
      break;
    oldest->picture = nullptr;
    oldest->sightings = {};
    oldest->among = std::nullopt;
  }
}

Tracker::Tracker(MotionEstimator& motion, const TrackerOptions& options)
    : impl_(std::make_unique<Impl>(options, motion)) {}
Tracker::~Tracker() = default;
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;

TrackerOutput Tracker::push(TrackerInput input) { return impl_->push(std::move(input)); }
TrackerOutput Tracker::flush() { return impl_->flush(); }

}  // namespace facepipe
