#include "track/follower.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "core/error.h"
#include "track/matching.h"
#include "track/motion_rules.h"

namespace facepipe {
namespace {

/// The IoU from which on two faces' boxes hold points of both.
constexpr float kLeastCrossing = 0.15F;
/// After so long half of a track's velocity is forgotten: a frame of 25 a second, at which it was
/// chosen. Of steps that are shorter, which tell less, less is taken.
constexpr double kVelocityHalf_s = 0.04;

/// Where a track is now, and when it was seen, come first: each frame looks at those of all tracks.
struct Track {
  Box box;            ///< in the newest frame
  double last_s = 0;  ///< the time of the last sighting
  TrackSummary summary;
  std::uint32_t slot = 0;
  int misses = 0;       ///< since the last sighting, in frames that were searched
  bool missed = false;  ///< in any frame since then
  Point velocity;       ///< against the camera, in pixels a second
  Box last;             ///< the last sighting
  float last_score = 0;
};

}  // namespace

class Follower::Impl {
 public:
  Impl(MotionEstimator& motion, const TrackerOptions& options)
      : options_(options), motion_(motion) {
    check_tracker_options(options);
  }

  FollowedFrame follow(TrackerInput input);
  std::vector<EndedTrack> flush();

 private:
  void check(const TrackerInput& input) const;
  FollowedFrame begin(TrackerInput& input);
  void look(FollowedFrame& now, const TrackerInput& input);
  [[nodiscard]] PictureChange change_to(const TrackerInput& input);
  void move_on(const FollowedFrame& now);
  void follow_hidden(const FollowedFrame& now);
  void take(FollowedFrame& now);
  template <typename Accept>
  void take(FollowedFrame& now, bool hidden, std::vector<bool>& used, Accept accept);
  void start(FollowedFrame& now, const std::vector<bool>& used);
  void see(Track& track, FollowedFrame& now, const Sighting& sighting);
  [[nodiscard]] Point velocity(const Track& track, const Similarity& camera, const Box& seen) const;
  void hold(FollowedFrame& now);
  [[nodiscard]] Box coasted(const Track& track, const Similarity& camera) const;
  void free_ended();
  [[nodiscard]] std::uint32_t new_slot();
  void end(const Track& track);
  void end_where(const std::vector<bool>& over);

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
  std::vector<Track> tracks_;  ///< by id
  std::vector<EndedTrack> ended_;
  std::vector<std::uint32_t> free_slots_;
  std::uint32_t slots_ = 0;
  std::shared_ptr<const MotionPicture> last_picture_;
  std::shared_ptr<const MotionPicture> before_;  ///< what `last_picture_` was compared with
  std::optional<double> last_s_;
  double picture_s_ = 0;  ///< the time of `last_picture_`
  double step_s_ = 0;     ///< from `before_` to `last_picture_`
  std::int64_t next_frame_ = 0;
  std::int64_t next_track_ = 0;
};

FollowedFrame Follower::Impl::follow(TrackerInput input) {
  check(input);
  free_ended();
  FollowedFrame now = begin(input);
  move_on(now);
  if (!now.frame.hide_all) take(now);
  hold(now);
  now.ended = ended_;
  return now;
}

std::vector<EndedTrack> Follower::Impl::flush() {
  free_ended();
  for (const Track& track : tracks_) end(track);
  tracks_.clear();
  last_picture_ = before_ = nullptr;
  last_s_ = std::nullopt;
  return ended_;
}

void Follower::Impl::check(const TrackerInput& input) const {
  const auto name = [&] { return "tracks: frame " + std::to_string(next_frame_); };
  if (!std::isfinite(input.time_s) || (last_s_ && !(input.time_s > *last_s_)))
    throw Error(ErrorKind::internal, name() + " is not later than the frame before");
  if (input.searched && input.detections != nullptr && input.detections->size() > kMostDetections)
    throw Error(ErrorKind::device, name() + " has " + std::to_string(input.detections->size()) +
                                       " detections, more than " + std::to_string(kMostDetections));
}

FollowedFrame Follower::Impl::begin(TrackerInput& input) {
  FollowedFrame now;
  now.frame.number = next_frame_++;
  now.frame.time_s = input.time_s;
  now.frame.searched = input.searched;
  now.frame.hide_all = (input.searched && input.detections == nullptr) || !input.picture;
  now.frame.cut = !last_s_;
  last_s_ = input.time_s;
  const bool has_findings = input.searched && input.detections != nullptr;
  now.taken_by.assign(has_findings ? input.detections->size() : 0, kNoTrack);
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

void Follower::Impl::look(FollowedFrame& now, const TrackerInput& input) {
  now.picture = input.picture;
  before_ = std::exchange(last_picture_, now.picture);
  step_s_ = now.frame.time_s - std::exchange(picture_s_, now.frame.time_s);
  if (!before_) return;
  const PictureChange change = change_to(input);
  now.camera = change.camera;
  now.frame.cut = change.cut;
  if (!change.cut) return;
  for (const Track& track : tracks_) end(track);
  tracks_.clear();
}

PictureChange Follower::Impl::change_to(const TrackerInput& input) {
  if (input.compared && input.compared->before == before_) return input.compared->change;
  return motion_.compare(*before_, *input.picture);
}

void Follower::Impl::move_on(const FollowedFrame& now) {
  if (!now.picture || !before_) return;
  follow_hidden(now);
  std::vector<bool> over(tracks_.size());
  for (std::size_t i = 0; i < tracks_.size(); ++i)
    over[i] = !is_usable(tracks_[i].box) || !meets(tracks_[i].box, now.picture->size());
  end_where(over);
}

/// Doubtful tracks follow the camera alone: there may be many, and nothing is hidden by them. Where
/// two faces cross, the points in either's box may be the other's, and each goes on as it went.
void Follower::Impl::follow_hidden(const FollowedFrame& now) {
  std::vector<Box> hidden;
  for (const Track& track : tracks_)
    if (track.summary.hidden) hidden.push_back(track.box);
  const int grid = grid_for(hidden.size());
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

Box Follower::Impl::coasted(const Track& track, const Similarity& camera) const {
  const Box box = moved(track.box, camera);
  // By its size at most, however far apart the frames are: a guess must not end a track.
  const auto step = [&](float velocity, float size) {
    return std::clamp(velocity * static_cast<float>(step_s_), -size, size);
  };
  const float x = step(track.velocity.x, box.width());
  const float y = step(track.velocity.y, box.height());
  return {box.x1 + x, box.y1 + y, box.x2 + x, box.y2 + y};
}

void Follower::Impl::take(FollowedFrame& now) {
  std::vector<bool> used(now.sightings.size());
  take(now, true, used, [&](const Sighting& sighting) { return starts(sighting); });
  take(now, true, used,
       [&](const Sighting& sighting) { return sighting.score >= options_.continue_score; });
  take(now, false, used, [&](const Sighting& sighting) { return is_of_use(sighting); });
  start(now, used);
}

/// Tracks of this kind that aren't seen yet take detections that are left and that `accept` takes.
template <typename Accept>
void Follower::Impl::take(FollowedFrame& now, bool hidden, std::vector<bool>& used, Accept accept) {
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

void Follower::Impl::start(FollowedFrame& now, const std::vector<bool>& used) {
  for (std::size_t i = 0; i < now.sightings.size(); ++i) {
    const Sighting& sighting = now.sightings[i];
    if (used[i] || !is_of_use(sighting)) continue;
    const bool room = tracks_.size() < (starts(sighting) ? kMostTracks : kMostTracks / 2);
    if (!room && starts(sighting))
      throw Error(ErrorKind::device, "tracks: there are more than " + std::to_string(kMostTracks) +
                                         " at frame " + std::to_string(now.frame.number));
    Track track;
    track.slot = new_slot();
    track.summary.id = next_track_++;
    track.summary.first_frame = now.frame.number;
    see(track, now, sighting);
    if (room)
      tracks_.push_back(track);
    else
      end(track);
  }
}

void Follower::Impl::see(Track& track, FollowedFrame& now, const Sighting& sighting) {
  TrackSummary& summary = track.summary;
  summary.best_score = std::max(summary.best_score, sighting.score);
  SeenTrack& seen = now.seen.emplace_back();
  seen.slot = track.slot;
  seen.id = summary.id;
  seen.box = sighting.box;
  seen.moved = track.box;
  seen.before = track.last;
  seen.before_s = track.last_s;
  seen.score = sighting.score;
  seen.before_score = track.last_score;
  seen.first = summary.sightings == 0;
  const bool next = !seen.first && !track.missed;
  seen.covers = next && is_sure(track);
  seen.was_hidden = summary.hidden;
  seen.hidden = summary.hidden || sighting.score >= options_.lone_score;
  seen.hides = !summary.hidden && starts(sighting);
  seen.hold_s = hold_s(track);
  now.taken_by[sighting.detection] = summary.id;
  if (next) track.velocity = velocity(track, now.camera, sighting.box);
  track.box = track.last = sighting.box;
  track.last_s = now.frame.time_s;
  track.last_score = sighting.score;
  track.missed = false;
  track.misses = 0;
  ++summary.sightings;
  summary.last_frame = now.frame.number;
  summary.hidden = summary.hidden || seen.hides;
}

Point Follower::Impl::velocity(const Track& track, const Similarity& camera,
                               const Box& seen) const {
  const Box still = moved(track.last, camera);
  const double step_s = std::max(step_s_, kSameTime);
  const auto share = static_cast<float>(1 - std::exp2(-step_s / kVelocityHalf_s));
  const auto mix = [&](float old, float step) {
    const float now = step / 2 / static_cast<float>(step_s);
    return old + share * (now - old);
  };
  return {mix(track.velocity.x, seen.x1 + seen.x2 - still.x1 - still.x2),
          mix(track.velocity.y, seen.y1 + seen.y2 - still.y1 - still.y2)};
}

/// Tracks that this frame doesn't show go on for a while.
void Follower::Impl::hold(FollowedFrame& now) {
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
    track.missed = true;
    now.missed.push_back({track.slot, track.summary.id, track.box, grown(missed_s), held});
    if (held) track.summary.last_frame = now.frame.number;
  }
  end_where(over);
}

/// Of frames before this one.
void Follower::Impl::free_ended() {
  for (const EndedTrack& track : ended_) free_slots_.push_back(track.slot);
  ended_.clear();
}

std::uint32_t Follower::Impl::new_slot() {
  if (free_slots_.empty()) return slots_++;
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void Follower::Impl::end(const Track& track) { ended_.push_back({track.slot, track.summary}); }

void Follower::Impl::end_where(const std::vector<bool>& over) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    if (over[i])
      end(tracks_[i]);
    else if (kept++ != i)
      tracks_[kept - 1] = tracks_[i];
  }
  tracks_.resize(kept);
}

Follower::Follower(MotionEstimator& motion, const TrackerOptions& options)
    : impl_(std::make_unique<Impl>(motion, options)) {}
Follower::~Follower() = default;
Follower::Follower(Follower&&) noexcept = default;
Follower& Follower::operator=(Follower&&) noexcept = default;

FollowedFrame Follower::follow(TrackerInput input) { return impl_->follow(std::move(input)); }
std::vector<EndedTrack> Follower::flush() { return impl_->flush(); }

}  // namespace facepipe
