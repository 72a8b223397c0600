#include "track/follower.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <span>
#include <string>
#include <utility>

#include "core/error.h"
#include "track/crowd_parts.h"
#include "track/crowd_workers.h"
#include "track/matching.h"
#include "track/motion_rules.h"
#include "track/second_looks.h"
#include "track/track_store.h"

namespace facepipe::track {
namespace {

/// Returns how many detections the class with the most of them has.
std::size_t most_of_a_class(const Detections& found) {
  if (found.classes.empty()) return found.size();
  std::size_t most = 0;
  for (const std::vector<std::uint32_t>& of_class : entries_by_class(found))
    most = std::max(most, of_class.size());
  return most;
}

/// Two faces cross if the IoU of their boxes is over this: points in one box can then belong to the
/// other face.
constexpr float kLeastCrossing = 0.15F;
/// After this time, older motion has half of the weight in a track's velocity. The value is the
/// duration of a frame at 25 frames a second, for which it was chosen. Motion over a shorter time
/// is less reliable, so it gets less weight.
constexpr double kVelocityHalf_s = 0.04;
/// The newest picture, and the step from the picture before it.
struct PictureStep {
  std::shared_ptr<const MotionPicture> before;
  std::shared_ptr<const MotionPicture> newest;
  double newest_s = 0;      ///< time of `newest`
  double length_s = 0;      ///< time from `before` to `newest`
  float newest_weight = 0;  ///< weight of this step in a track's velocity

  void add(std::shared_ptr<const MotionPicture> picture, double time_s) {
    before = std::exchange(newest, std::move(picture));
    length_s = time_s - std::exchange(newest_s, time_s);
    newest_weight =
        static_cast<float>(1 - std::exp2(-std::max(length_s, kSameTime) / kVelocityHalf_s));
  }
};

/// From this number of boxes on, several threads share the work (crowd_parts.h).
constexpr std::size_t kCrowd = 768;
constexpr int kThreads = 6;

// These flags say what a sighting may be used for.
constexpr unsigned kStarts = 1;     ///< the track that takes the sighting is hidden from now on
constexpr unsigned kContinues = 2;  ///< continues a hidden track
constexpr unsigned kIsOfUse = 4;    ///< continues a suggested track, or begins any track

std::vector<Box> boxes_of(std::span<const Sighting> sightings) {
  std::vector<Box> boxes;
  boxes.reserve(sightings.size());
  for (const Sighting& sighting : sightings) boxes.push_back(sighting.box);
  return boxes;
}

}  // namespace

class Follower::Impl {
 public:
  Impl(MotionEstimator& motion, const TrackerOptions& options, ScoreScales scales)
      : options_(options), scales_(std::move(scales)), motion_(motion) {
    check_tracker_options(options);
  }

  TrackStep follow(TrackerInput input, const SecondLook& second_look);
  std::vector<EndedTrack> flush();

 private:
  void check(const TrackerInput& input) const;
  TrackStep begin(TrackerInput& input);
  void look(TrackStep& now, const TrackerInput& input);
  [[nodiscard]] PictureChange change_to(const TrackerInput& input);
  void move_on(TrackStep& now);
  void follow_hidden(const TrackStep& now, int grid);
  void follow_camera(const Similarity& camera, int grid, std::size_t part);
  void take(TrackStep& now);
  void find_pairs(const TrackStep& now);
  void take(TrackStep& now, TracksOfKind& kind, unsigned use);
  void start(TrackStep& now);
  void take_second_look(TrackStep& now, const SecondLook& second_look);
  void decide(SeenTrack& seen, Track* track, const Sighting& sighting) const;
  void see(Track& track, TrackStep& now, const Sighting& sighting, SeenTrack& seen);
  [[nodiscard]] Point velocity(const TrackPast& track, const Similarity& camera,
                               const Box& seen) const;
  void hold(TrackStep& now);
  [[nodiscard]] Box coasted(const Track& track, const Similarity& camera) const;
  [[nodiscard]] bool starts(const Box& box, float usual_score) const {
    return usual_score >= options_.start_score &&
           usual_score >= start_score_of(box, options_.start_score);
  }
  /// Returns whether a second look may decide about a track that is seen, and isn't hidden.
  [[nodiscard]] bool is_open(const Track& track) const {
    const float best = scales_.of(track.found_class).usual(store_.past(track.slot).best_score);
    return kLookedAtScore <= best && best < kAloneScore;
  }
  [[nodiscard]] unsigned uses_of(const Sighting& sighting) const {
    const float least_alone = std::min(options_.suggest_score, options_.lone_score);
    return (sighting.starts ? kStarts | kIsOfUse : 0U) |
           (sighting.usual_score >= options_.continue_score ? kContinues : 0U) |
           (sighting.usual_score >= least_alone ? kIsOfUse : 0U);
  }

  TrackerOptions options_;
  ScoreScales scales_;
  MotionEstimator& motion_;
  TrackStore store_;
  CrowdWorkers workers_{kThreads};
  TracksOfKind hidden_;     ///< hidden tracks of the newest frame
  TracksOfKind suggested_;  ///< suggested tracks of the newest frame
  /// For each sighting of the newest frame; 0 if a track has taken it.
  std::vector<unsigned> uses_;
  bool looks_again_ = false;  ///< second looks decide about weak tracks of this frame
  SecondLookBudget budget_;
  PictureStep pictures_;
  std::optional<double> last_s_;
  std::int64_t next_frame_ = 0;
};

TrackStep Follower::Impl::follow(TrackerInput input, const SecondLook& second_look) {
  check(input);
  store_.free_ended();
  TrackStep now = begin(input);
  move_on(now);
  looks_again_ = second_look != nullptr && now.picture != nullptr;
  if (!now.frame.hide_all) take(now);
  if (looks_again_) take_second_look(now, second_look);
  hold(now);
  now.ended = store_.ended();
  return now;
}

std::vector<EndedTrack> Follower::Impl::flush() {
  store_.free_ended();
  store_.end_all();
  pictures_.before = pictures_.newest = nullptr;
  last_s_ = std::nullopt;
  return store_.ended();
}

void Follower::Impl::check(const TrackerInput& input) const {
  const auto name = [&] { return "tracks: frame " + std::to_string(next_frame_); };
  if (!std::isfinite(input.time_s) || (last_s_ && !(input.time_s > *last_s_)))
    throw Error(ErrorKind::internal, name() + " is not later than the frame before");
  const std::size_t most =
      input.searched && input.detections != nullptr ? most_of_a_class(*input.detections) : 0;
  if (most > kMostDetections)
    throw Error(ErrorKind::device, name() + " has " + std::to_string(most) +
                                       " detections, more than " + std::to_string(kMostDetections));
}

TrackStep Follower::Impl::begin(TrackerInput& input) {
  TrackStep now;
  now.frame.number = next_frame_++;
  now.frame.time_s = input.time_s;
  now.frame.searched = input.searched;
  now.frame.hide_all = (input.searched && input.detections == nullptr) || !input.picture;
  now.frame.cut = !last_s_;
  now.tracks_before = store_.made();
  last_s_ = input.time_s;
  uses_.clear();
  const bool has_findings = input.searched && input.detections != nullptr;
  now.taken_by.assign(has_findings ? input.detections->size() : 0, kNoTrack);
  if (has_findings && !now.frame.hide_all) {
    const float least = std::min({options_.suggest_score, options_.continue_score,
                                  options_.lone_score, options_.start_score});
    now.sightings.reserve(input.detections->size());
    for (std::size_t i = 0; i < input.detections->size(); ++i) {
      const Box& box = input.detections->boxes[i];
      const float score = input.detections->scores[i];
      const std::uint16_t found_class = input.detections->class_of(i);
      const float usual = scales_.of(found_class).usual(score);
      if (!(usual >= least) || !is_usable(box)) continue;
      uses_.push_back(uses_of(
          now.sightings.emplace_back(box, score, usual, starts(box, usual), i, found_class)));
    }
  }
  if (input.picture) look(now, input);
  return now;
}

void Follower::Impl::look(TrackStep& now, const TrackerInput& input) {
  now.picture = input.picture;
  pictures_.add(now.picture, now.frame.time_s);
  if (!pictures_.before) return;
  const PictureChange change = change_to(input);
  now.camera = change.camera;
  now.frame.cut = change.cut;
  if (!change.cut) return;
  store_.end_all();
  budget_ = {};
}

PictureChange Follower::Impl::change_to(const TrackerInput& input) {
  if (input.compared && input.compared->before == pictures_.before) return input.compared->change;
  return motion_.compare(*pictures_.before, *input.picture);
}

/// Moves the boxes of all tracks to the newest picture. In a crowd, other threads sort the
/// sightings for lookup at the same time. The calling thread runs part 0, because only this thread
/// may use the estimator.
void Follower::Impl::move_on(TrackStep& now) {
  const bool moves = now.picture && pictures_.before;
  const int grid =
      grid_for(static_cast<std::size_t>(std::ranges::count(store_.tracks(), true, &Track::hidden)));
  const std::size_t parts = moves ? parts_of(store_.tracks().size()) : 0;
  const bool crowd = std::max(store_.tracks().size(), now.sightings.size()) >= kCrowd;
  workers_.run(crowd, 2 + parts, [&](std::size_t i) {
    if (i == 0 && moves && grid > 0) follow_hidden(now, grid);
    if (i == 1) now.among = Neighbours(boxes_of(now.sightings));
    if (i >= 2) follow_camera(now.camera, grid, i - 2);
  });
  if (!moves) return;
  const Size picture = now.picture->size();
  store_.end_where(
      [&](const Track& track) { return !is_usable(track.box) || !meets(track.box, picture); });
}

/// Moves the boxes of hidden tracks. If two faces cross, the points in a box can belong to the
/// other face. So the boxes of both faces move with their last velocity. A box of another class,
/// such as that of a face within that of a person, is not a crossing.
void Follower::Impl::follow_hidden(const TrackStep& now, int grid) {
  std::vector<Box> hidden;
  std::vector<std::uint16_t> classes;
  std::vector<Track*> tracks;
  for (Track& track : store_.tracks()) {
    if (!track.hidden) continue;
    hidden.push_back(track.box);
    classes.push_back(track.found_class);
    tracks.push_back(&track);
  }
  const std::vector<bool> crossing = which_cross(hidden, kLeastCrossing, classes);
  std::vector<BoxStep> steps;
  std::vector<Track*> followed;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    if (crossing[i]) {
      tracks[i]->box = coasted(*tracks[i], now.camera);
    } else {
      steps.push_back({pictures_.before.get(), now.picture.get(), hidden[i], now.camera, grid});
      followed.push_back(tracks[i]);
    }
  }
  const std::vector<Box> places = motion_.follow(steps);
  for (std::size_t i = 0; i < followed.size(); ++i) followed[i]->box = places[i];
}

/// Moves the boxes of suggested tracks with the camera. Their points aren't followed, because there
/// can be many such tracks, and they hide nothing. Hidden tracks also move with the camera if there
/// are too many to follow their points.
void Follower::Impl::follow_camera(const Similarity& camera, int grid, std::size_t part) {
  for (const std::size_t i : of_part(part, store_.tracks().size()))
    if (Track& track = store_.tracks()[i]; !track.hidden || grid == 0)
      track.box = moved(track.box, camera);
}

Box Follower::Impl::coasted(const Track& track, const Similarity& camera) const {
  const Box box = moved(track.box, camera);
  // The step is at most the box's size. It is only a guess, and a large step could move the box out
  // of the picture, which would end the track.
  const auto step = [&](float velocity, float size) {
    return std::clamp(velocity * static_cast<float>(pictures_.length_s), -size, size);
  };
  const Point velocity = store_.past(track.slot).velocity;
  const float x = step(velocity.x, box.width());
  const float y = step(velocity.y, box.height());
  return {box.x1 + x, box.y1 + y, box.x2 + x, box.y2 + y};
}

void Follower::Impl::take(TrackStep& now) {
  find_pairs(now);
  now.seen.reserve(now.sightings.size());
  take(now, hidden_, kStarts);
  take(now, hidden_, kContinues);
  take(now, suggested_, kIsOfUse);
  start(now);
}

void Follower::Impl::find_pairs(const TrackStep& now) {
  hidden_.clear();
  suggested_.clear();
  for (std::uint32_t i = 0; i < store_.tracks().size(); ++i) {
    TracksOfKind& kind = store_.tracks()[i].hidden ? hidden_ : suggested_;
    kind.boxes.push_back(store_.tracks()[i].box);
    kind.tracks.push_back(i);
  }
  const std::size_t of_hidden = hidden_.divide();
  const std::size_t parts = of_hidden + suggested_.divide();
  workers_.run(store_.tracks().size() >= kCrowd && !now.sightings.empty(), parts,
               [&](std::size_t i) {
                 if (i < of_hidden)
                   hidden_.find_part(i, now.among);
                 else
                   suggested_.find_part(i - of_hidden, now.among);
               });
}

/// Lets the tracks of `kind` that aren't seen yet take detections of their class. They take only
/// detections that no track has taken and that have the flag `use`.
void Follower::Impl::take(TrackStep& now, TracksOfKind& kind, unsigned use) {
  std::vector<Pair> pairs;
  for (const std::vector<Pair>& part : kind.pairs)
    for (const Pair& pair : part)
      if ((uses_[pair.detection] & use) != 0 && !kind.seen[pair.rank.box()] &&
          store_.tracks()[kind.tracks[pair.rank.box()]].found_class ==
              now.sightings[pair.detection].found_class)
        pairs.push_back(pair);
  const std::vector<Match> matches =
      match_greedily(std::move(pairs), kind.boxes.size(), now.sightings.size());
  for (const Match& match : matches) kind.seen[match.prediction] = true;
  const std::size_t first = now.seen.size();
  now.seen.resize(first + matches.size());
  workers_.run(matches.size() >= kCrowd, parts_of(matches.size()), [&](std::size_t part) {
    for (const std::size_t i : of_part(part, matches.size())) {
      const auto& [prediction, detection] = matches[i];
      uses_[detection] = 0;
      see(store_.tracks()[kind.tracks[prediction]], now, now.sightings[detection],
          now.seen[first + i]);
    }
  });
}

void Follower::Impl::start(TrackStep& now) {
  for (std::size_t i = 0; i < now.sightings.size(); ++i) {
    const Sighting& sighting = now.sightings[i];
    if ((uses_[i] & kIsOfUse) == 0) continue;
    const bool room = store_.tracks().size() < (sighting.starts ? kMostTracks : kMostTracks / 2);
    if (!room && sighting.starts)
      throw Error(ErrorKind::device, "tracks: there are more than " + std::to_string(kMostTracks) +
                                         " at frame " + std::to_string(now.frame.number));
    Track track = store_.make(now.frame.number);
    track.found_class = sighting.found_class;
    see(track, now, sighting, now.seen.emplace_back());
    if (room)
      store_.tracks().push_back(track);
    else
      store_.end(track);
  }
}

/// Gives a sighting to a track. Several threads may call this at the same time, for different
/// tracks and sightings.
void Follower::Impl::see(Track& track, TrackStep& now, const Sighting& sighting, SeenTrack& seen) {
  TrackPast& past = store_.past(track.slot);
  past.best_score = std::max(past.best_score, sighting.score);
  // A higher score is higher on the usual scale, too, so the best sighting makes a track sure.
  track.sure = track.sure || sighting.usual_score >= options_.sure_score;
  seen.slot = track.slot;
  seen.id = track.id;
  seen.box = sighting.box;
  seen.moved = track.box;
  seen.score = sighting.score;
  seen.missed = track.missed;
  seen.first = past.sightings == 0;
  const bool next = !seen.first && track.missed == kNowhere;
  seen.covers = next && track.sure;
  seen.was_hidden = track.hidden;
  seen.sighting = static_cast<std::uint32_t>(&sighting - now.sightings.data());
  seen.open = looks_again_ && !track.hidden && is_open(track);
  seen.hidden = track.hidden || (!seen.open && sighting.usual_score >= options_.lone_score);
  seen.hides = !track.hidden && !seen.open && sighting.starts;
  seen.sure = track.sure;
  seen.found_class = track.found_class;
  now.taken_by[sighting.detection] = track.id;
  if (next) past.velocity = velocity(past, now.camera, sighting.box);
  track.box = past.last = sighting.box;
  track.last_s = now.frame.time_s;
  track.missed = kNowhere;
  track.misses = 0;
  ++past.sightings;
  past.last_frame = now.frame.number;
  track.hidden = track.hidden || seen.hides;
}

/// Lets second looks decide about the tracks that were seen in this frame and are open.
void Follower::Impl::take_second_look(TrackStep& now, const SecondLook& second_look) {
  budget_.add(now.picture->size());
  std::vector<Track*> by_slot(store_.slots());
  for (Track& track : store_.tracks()) by_slot[track.slot] = &track;
  std::vector<SeenTrack*> asked;
  for (SeenTrack& seen : now.seen) {
    if (!seen.open) continue;
    const TrackPast& past = store_.past(seen.slot);
    const bool again =
        past.second_score && now.frame.time_s - past.looked_s < kBetweenLooks_s - kSameTime;
    if (!again) asked.push_back(&seen);
  }
  std::ranges::stable_sort(asked, std::ranges::greater{}, [&](const SeenTrack* seen) {
    const Sighting& sighting = now.sightings[seen->sighting];
    return std::pair(sighting.starts, harm_of(sighting.box, sighting.score));
  });
  asked.resize(budget_.take(asked.size()));
  std::vector<Box> boxes;
  for (const SeenTrack* seen : asked) boxes.push_back(seen->box);
  const std::vector<float> scores = boxes.empty() ? std::vector<float>() : second_look(boxes);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    TrackPast& past = store_.past(asked[i]->slot);
    past.second_score = std::max(past.second_score.value_or(0), scores.at(i));
    past.looked_s = now.frame.time_s;
  }
  for (SeenTrack& seen : now.seen)
    if (seen.open) decide(seen, by_slot[seen.slot], now.sightings[seen.sighting]);
}

/// Hides an open track if it is likely to be a face.
/// @param track  null if the track has ended already, because there was no room for it
void Follower::Impl::decide(SeenTrack& seen, Track* track, const Sighting& sighting) const {
  const TrackPast& past = store_.past(seen.slot);
  const ScoreScale& scale = scales_.of(seen.found_class);
  const bool looked = past.second_score.has_value();
  const bool likely =
      looked ? evidence_of(scale.usual(past.best_score), scale.usual(*past.second_score)) >=
                   least_evidence_for(seen.box)
             : sighting.starts;
  seen.hidden = likely || (!looked && sighting.usual_score >= options_.lone_score);
  seen.hides = likely && track != nullptr;
  if (track != nullptr) track->hidden = likely;
}

Point Follower::Impl::velocity(const TrackPast& track, const Similarity& camera,
                               const Box& seen) const {
  const Box still = moved(track.last, camera);
  const auto step_s = static_cast<float>(std::max(pictures_.length_s, kSameTime));
  const auto mix = [&](float old, float step) {
    const float now = step / 2 / step_s;
    return old + pictures_.newest_weight * (now - old);
  };
  return {mix(track.velocity.x, seen.x1 + seen.x2 - still.x1 - still.x2),
          mix(track.velocity.y, seen.y1 + seen.y2 - still.y1 - still.y2)};
}

/// Continues tracks that were not seen in this frame, and ends tracks that were missed for too
/// long.
void Follower::Impl::hold(TrackStep& now) {
  now.missed.reserve(store_.tracks().size() - std::min(store_.tracks().size(), now.seen.size()));
  std::uint32_t shown = 0;
  store_.end_where([&](Track& track) {
    if (track.last_s == now.frame.time_s) return false;
    const double missed_s = now.frame.time_s - track.last_s;
    if (now.frame.searched) ++track.misses;
    const bool first = track.misses <= 1;
    const bool held =
        track.hidden && (first || missed_s <= hold_of(track.sure, options_) + kSameTime);
    if (!held && !first && missed_s > options_.gap_s + kSameTime) return true;
    now.missed.push_back({track.slot, track.missed, track.id, track.box,
                          grow_after(missed_s, options_), held ? shown++ : kNowhere});
    now.missed_since_s = std::min(now.missed_since_s, track.last_s);
    track.missed = static_cast<std::uint32_t>(now.missed.size() - 1);
    if (held) store_.past(track.slot).last_frame = now.frame.number;
    return false;
  });
}

Follower::Follower(MotionEstimator& motion, const TrackerOptions& options,
                   const ScoreScales& scales)
    : impl_(std::make_unique<Impl>(motion, options, scales)) {}
Follower::~Follower() = default;
Follower::Follower(Follower&&) noexcept = default;
Follower& Follower::operator=(Follower&&) noexcept = default;

TrackStep Follower::follow(TrackerInput input, const SecondLook& second_look) {
  return impl_->follow(std::move(input), second_look);
}
std::vector<EndedTrack> Follower::flush() { return impl_->flush(); }

}  // namespace facepipe::track
