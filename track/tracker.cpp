#include "track/tracker.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/error.h"
#include "track/follower.h"
#include "track/waiting_frames.h"

namespace facepipe::track {
namespace {

// See start_score_of().
constexpr float kUsualSide = 40;
constexpr float kSizeExponent = 0.3F;
constexpr float kMostStart = 0.25F;

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
                            options.suggest_score, options.sure_score})
    check(score >= 0 && score <= 1, "scores must be from 0 to 1");
  check(options.continue_score <= options.start_score,
        "the score that continues a track must not be above the score that starts one");
  for (const double time : {options.hold_s, options.weak_hold_s, options.gap_s, options.back_s})
    check(time >= 0 && time <= 60, "times must be from 0 to 60 seconds");
  check(options.look_ahead_s >= 0, "the look-ahead must be 0 seconds or more");
  check(options.most_waiting >= 1 && options.most_waiting <= kMostWaitingFrames,
        "the number of frames that wait must be from 1 to 512");
  check(options.grow_per_s >= 0 && options.grow_per_s <= 10,
        "the growth of boxes must be from 0 to 10 a second");
}

class Tracker::Impl {
 public:
  Impl(MotionEstimator& motion, const TrackerOptions& options, const ScoreScales& scales)
      : follower_(motion, options, scales), frames_(motion, options) {}

  TrackerOutput push(TrackerInput input) {
    check_whole();
    broken_ = true;
    TrackerOutput out = frames_.add(follower_.follow(std::move(input)));
    broken_ = false;
    return out;
  }

  TrackerOutput flush() {
    check_whole();
    return frames_.flush(follower_.flush());
  }

 private:
  void check_whole() const {
    if (broken_) throw Error(ErrorKind::internal, "tracks: used after an error");
  }

  Follower follower_;
  WaitingFrames frames_;
  /// push() has failed, so waiting frames may lack boxes that must be hidden.
  bool broken_ = false;
};

Tracker::Tracker(MotionEstimator& motion, const TrackerOptions& options, const ScoreScales& scales)
    : impl_(std::make_unique<Impl>(motion, options, scales)) {}
Tracker::~Tracker() = default;
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;

TrackerOutput Tracker::push(TrackerInput input) { return impl_->push(std::move(input)); }
TrackerOutput Tracker::flush() { return impl_->flush(); }

}  // namespace facepipe::track
