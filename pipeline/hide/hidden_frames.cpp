#include "pipeline/hide/hidden_frames.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "core/frame_record.h"
#include "core/time_spans.h"
#include "track/matching.h"
#include "track/tracker.h"
#include "track/waiting_frames.h"

namespace facepipe::pipeline {
namespace {

track::TrackerOptions with(track::TrackerOptions options, int most_waiting) {
  options.most_waiting = most_waiting;
  return options;
}

/// Returns the growth of a class; nullopt if the class has the growth of the run.
std::optional<float> grow_of(const std::vector<track::TrackClass>& classes, std::uint16_t number) {
  return number < classes.size() ? classes[number].grow : std::nullopt;
}

HiddenFrame hidden_of(const track::TrackedFrame& known,
                      const std::vector<track::TrackClass>& classes) {
  HiddenFrame hidden;
  hidden.all = known.hide_all;
  const track::BoxState listed = known.searched ? track::BoxState::seen : track::BoxState::filled;
  std::unordered_set<std::int64_t> filled;  // a frame may have several filled boxes of a track
  hidden.areas.reserve(known.boxes.size());
  for (const track::TrackedBox& box : known.boxes) {
    if (!box.hidden) continue;
    hidden.areas.push_back(
        {track::grown(box.box, box.grow), {}, false, grow_of(classes, box.found_class)});
    if (box.state != listed || box.score <= 0) continue;
    if (listed == track::BoxState::filled && !filled.insert(box.track).second) continue;
    hidden.faces.push_back(box.box, box.score);
    hidden.faces.set_class_of_last(box.found_class);
    hidden.face_tracks.push_back(box.track);
  }
  return hidden;
}

/// Returns the class of each track of the file.
std::vector<std::uint16_t> classes_of_tracks(const KnownTracks& known) {
  std::vector<std::uint16_t> classes;
  for (const track::FileTrack& track : known.file.tracks) {
    const auto found = std::ranges::find_if(known.classes, [&](const track::TrackClass& each) {
      return each.name == track.found_class && each.model == track.model;
    });
    const bool listed = found != known.classes.end();
    classes.push_back(listed ? static_cast<std::uint16_t>(found - known.classes.begin())
                             : std::uint16_t{0});
  }
  return classes;
}

/// @param likely_score  kLikelyScore on the scale of `best_score`
void count_suggested(float best_score, float likely_score, TrackCounts& counts) {
  ++counts.suggested;
  if (best_score >= likely_score) ++counts.likely;
}

/// Counts the tracks of an edit file. The file doesn't say what its scores mean, so they are taken
/// for scores of the usual scale.
TrackCounts counts_of(const track::TrackFile& file) {
  TrackCounts counts;
  for (const track::FileTrack& track : file.tracks) {
    switch (track.action) {
      case track::TrackAction::hide:
        ++counts.hidden;
        break;
      case track::TrackAction::keep:
        ++counts.kept;
        break;
      case track::TrackAction::suggest:
        count_suggested(track.score_max, kLikelyScore, counts);
        break;
    }
  }
  return counts;
}

class TrackedFrames final : public HiddenFrames {
 public:
  TrackedFrames(const HideJob& job, const ScoreScales& scales, const MotionOfSteps& motion,
                int most_waiting, const track::TrackFileInput& input)
      : job_(job),
        scales_(scales),
        follower_(*motion.follow, with(job.tracks, most_waiting), scales),
        frames_(*motion.decide, with(job.tracks, most_waiting)) {
    if (job.wants_tracks || job.collects_tracks) builder_.emplace(make_builder(job, scales, input));
  }

  [[nodiscard]] track::TrackStep follow(FrameToHide& frame,
                                        std::shared_ptr<const track::MotionPicture> picture,
                                        std::optional<track::ComparedPictures> compared) override {
    const Detections found = std::exchange(frame.found, {});
    track::TrackerInput input;
    input.time_s = frame.time_s;
    input.detections = &found;
    input.searched = frame.searched;
    input.picture = std::move(picture);
    input.compared = std::move(compared);
    return follower_.follow(std::move(input), frame.second_look);
  }

  [[nodiscard]] std::vector<HiddenFrame> decide(const FrameToHide& frame,
                                                track::TrackStep followed) override {
    if (builder_) stamps_.push_back(frame.pts);
    for (const track::SeenTrack& seen : followed.seen) {
      begun_ = std::max(begun_, seen.id + 1);
      seen_at_.try_emplace(seen.id, TimeSpans::Span{frame.time_s, 0}).first->second.to_s =
          frame.time_s;
    }
    return hidden(frames_.add(std::move(followed)));
  }

  // All tracks of the part have ended in this step. The tracks that begin in it are the next
  // part's.
  [[nodiscard]] std::vector<HiddenFrame> hand_over(track::TrackStep followed) override {
    handed_over_ = true;
    begun_ = followed.tracks_before;
    return hidden(frames_.flush(followed.ended));
  }

  [[nodiscard]] std::vector<HiddenFrame> flush() override {
    std::vector<HiddenFrame> last;
    if (!handed_over_) last = hidden(frames_.flush(follower_.flush()));
    if (job_.wants_tracks) tracks_ = std::make_shared<track::TrackFile>(builder_->finish());
    return last;
  }

  [[nodiscard]] std::shared_ptr<track::TrackFile> tracks() const override { return tracks_; }
  [[nodiscard]] track::CollectedTracks collected() override { return builder_.value().take(); }
  [[nodiscard]] std::int64_t tracks_begun() const override { return begun_; }
  [[nodiscard]] TrackCounts track_counts() const override { return counts_; }

 private:
  std::vector<HiddenFrame> hidden(const track::TrackerOutput& known) {
    std::vector<HiddenFrame> frames;
    for (const track::TrackedFrame& frame : known.frames) {
      frames.push_back(hidden_of(frame, job_.classes));
      if (!builder_) continue;
      builder_->add(frame, stamps_.front());
      stamps_.pop_front();
    }
    for (const track::TrackSummary& track : known.ended) {
      count(track);
      if (builder_) builder_->add(track);
    }
    return frames;
  }

  void count(const track::TrackSummary& track) {
    const auto seen_at = seen_at_.extract(track.id);
    if (track.hidden) {
      ++counts_.hidden;
      return;
    }
    const ScoreScale& scale = scales_.of(track.found_class);
    if (track.best_score < scale.own(job_.tracks.suggest_score)) return;
    const std::int64_t likely = counts_.likely;
    count_suggested(track.best_score, scale.own(kLikelyScore), counts_);
    if (counts_.likely > likely && seen_at) counts_.likely_at.add(seen_at.mapped());
  }

  const HideJob& job_;
  const ScoreScales& scales_;
  track::Follower follower_;
  track::WaitingFrames frames_;
  std::optional<track::TrackFileBuilder> builder_;
  std::deque<std::int64_t> stamps_;  // time stamps of the frames that wait
  std::shared_ptr<track::TrackFile> tracks_;
  TrackCounts counts_;
  /// When each track that hasn't ended was detected, by its id.
  std::unordered_map<std::int64_t, TimeSpans::Span> seen_at_;
  std::int64_t begun_ = 0;
  bool handed_over_ = false;
};

class FoundFrames final : public HiddenFrames {
 public:
  [[nodiscard]] track::TrackStep follow(
      FrameToHide& /*frame*/, std::shared_ptr<const track::MotionPicture> /*picture*/,
      std::optional<track::ComparedPictures> /*compared*/) override {
    return {};
  }
  [[nodiscard]] std::vector<HiddenFrame> decide(const FrameToHide& frame,
                                                track::TrackStep /*followed*/) override {
    HiddenFrame found;
    found.faces = frame.found;
    found.face_tracks.assign(found.faces.size(), kNoTrack);
    std::vector<HiddenFrame> frames;
    frames.push_back(std::move(found));
    return frames;
  }
  [[nodiscard]] std::vector<HiddenFrame> hand_over(track::TrackStep /*followed*/) override {
    return {};
  }
  [[nodiscard]] std::vector<HiddenFrame> flush() override { return {}; }
  [[nodiscard]] TrackCounts track_counts() const override { return {}; }
};

class KnownFrames final : public HiddenFrames {
 public:
  KnownFrames(const KnownTracks& known, const track::TrackFileInput& input, const KnownRange& range)
      : known_(known),
        classes_(classes_of_tracks(known)),
        from_first_(range.from_first),
        use_(known, range.from_first && range.to_last) {
    const track::TrackFileInput& made_for = known.file.input;
    const auto refuse = [&](const std::string& what, const std::string& in_file,
                            const std::string& in_input) {
      throw Error(ErrorKind::usage, known.name + ": was made for another input: its " + what +
                                        " is " + in_file + ", but the input's is " + in_input);
    };
    if (made_for.size != input.size)
      refuse("size", to_string(made_for.size), to_string(input.size));
    const auto text = [](Rational base) {
      return std::to_string(base.num) + "/" + std::to_string(base.den);
    };
    if (made_for.time_base != input.time_base)
      refuse("time base", text(made_for.time_base), text(input.time_base));
  }

  [[nodiscard]] track::TrackStep follow(
      FrameToHide& /*frame*/, std::shared_ptr<const track::MotionPicture> /*picture*/,
      std::optional<track::ComparedPictures> /*compared*/) override {
    return {};
  }

  [[nodiscard]] std::vector<HiddenFrame> decide(const FrameToHide& frame,
                                                track::TrackStep /*followed*/) override {
    HiddenFrame hidden;
    const bool unknown = from_first_ && frame.index >= known_.file.input.frames;
    if (unknown) ++unknown_;
    hidden.all = unknown || frame.damaged;
    const std::vector<track::HiddenBox> boxes = track::hidden_at(known_.file, frame.pts);
    use_.see(frame.pts, boxes);
    for (const track::HiddenBox& box : boxes) {
      hidden.areas.push_back({box.box, box.track->style,
                              box.track->origin == track::TrackOrigin::person, box.track->grow});
      hidden.faces.push_back(box.box, box.track->score_max);
      hidden.faces.set_class_of_last(
          classes_[static_cast<std::size_t>(box.track - known_.file.tracks.data())]);
      hidden.face_tracks.push_back(box.track->id);
    }
    std::vector<HiddenFrame> frames;
    frames.push_back(std::move(hidden));
    return frames;
  }
  [[nodiscard]] std::vector<HiddenFrame> hand_over(track::TrackStep /*followed*/) override {
    throw Error(ErrorKind::internal, "hide: known tracks need no scene between parts");
  }
  [[nodiscard]] std::vector<HiddenFrame> flush() override { return {}; }
  [[nodiscard]] TrackCounts track_counts() const override { return counts_of(known_.file); }

  void report(video::Notices& notices) const override {
    if (unknown_ > 0)
      notices.add(std::to_string(unknown_) + " frames are not in " + known_.name +
                  ": facepipe hides them as a whole");
  }
  [[nodiscard]] std::optional<InstructionUse> use() const override {
    return known_.by_person ? std::optional(use_.sum()) : std::nullopt;
  }

 private:
  const KnownTracks& known_;
  const std::vector<std::uint16_t> classes_;  // by index in KnownTracks::file
  const bool from_first_;
  TrackUse use_;
  std::int64_t unknown_ = 0;
};

}  // namespace

track::TrackFileBuilder make_builder(const HideJob& job, const ScoreScales& scales,
                                     const track::TrackFileInput& input) {
  return track::TrackFileBuilder(input, job.tracks.suggest_score, job.classes, scales);
}

std::unique_ptr<HiddenFrames> track_frames(const HideJob& job, const ScoreScales& scales,
                                           const MotionOfSteps& motion, int most_waiting,
                                           const track::TrackFileInput& input) {
  return std::make_unique<TrackedFrames>(job, scales, motion, most_waiting, input);
}

std::unique_ptr<HiddenFrames> found_frames() { return std::make_unique<FoundFrames>(); }

std::unique_ptr<HiddenFrames> known_frames(const KnownTracks& known,
                                           const track::TrackFileInput& input,
                                           const KnownRange& range) {
  return std::make_unique<KnownFrames>(known, input, range);
}

}  // namespace facepipe::pipeline
