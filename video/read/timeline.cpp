#include "video/read/timeline.h"

#include <algorithm>
#include <cmath>

namespace facepipe::video {
namespace {

// Larger stamps could overflow arithmetic in 64 bits.
constexpr std::int64_t kMaxStamp = INT64_MAX / 4;

std::optional<std::int64_t> absolute_us(std::optional<double> seconds, std::int64_t origin_us) {
  if (!seconds) return std::nullopt;
  return origin_us + static_cast<std::int64_t>(std::llround(*seconds * AV_TIME_BASE));
}

}  // namespace

Timeline::Timeline(const Demuxer& demuxer, std::optional<double> start_s,
                   std::optional<double> end_s, Notices& notices)
    : time_base_(demuxer.video().time_base),
      synthesize_(demuxer.lacks_time_stamps()),
      notices_(notices) {
  const AVRational frame_time = av_inv_q(to_av(demuxer.frame_rate()));
  if (synthesize_) {
    time_base_ = frame_time;
    notices_.add("has no time stamps: " + std::to_string(demuxer.frame_rate().num) + "/" +
                 std::to_string(demuxer.frame_rate().den) + " frames a second assumed");
  }
  frame_duration_ = std::max<std::int64_t>(1, av_rescale_q(1, frame_time, time_base_));
  start_us_ = absolute_us(start_s, demuxer.origin_us());
  end_us_ = absolute_us(end_s, demuxer.origin_us());
}

bool Timeline::in_range(std::int64_t stamp, AVRational time_base) const {
  if (stamp == AV_NOPTS_VALUE) return true;
  const bool too_early =
      start_us_ && av_compare_ts(stamp, time_base, *start_us_, AV_TIME_BASE_Q) < 0;
  return !too_early && !after_range(stamp, time_base);
}

bool Timeline::after_range(std::int64_t stamp, AVRational time_base) const {
  if (stamp == AV_NOPTS_VALUE || !end_us_) return false;
  return av_compare_ts(stamp, time_base, *end_us_, AV_TIME_BASE_Q) >= 0;
}

Timing Timeline::next(std::int64_t pts, std::int64_t duration) {
  if (synthesize_) {
    pts = AV_NOPTS_VALUE;
    duration = 0;
  }
  if (duration <= 0 || duration > kMaxStamp) duration = frame_duration_;
  const std::int64_t follows = last_ ? last_->pts + last_->duration : 0;
  if (pts != AV_NOPTS_VALUE && std::abs(pts) > kMaxStamp) {
    notices_.add("impossible time stamps replaced");
    pts = AV_NOPTS_VALUE;
  }
  if (pts == AV_NOPTS_VALUE) {
    if (!synthesize_) notices_.add("missing time stamps filled in from the frame rate");
    pts = follows;
  }
  if (last_ && pts <= last_->pts) {
    notices_.add("time stamps that didn't increase were moved after those of the frame before");
    pts = last_->pts + 1;
  }
  last_ = Timing{pts, duration};
  return *last_;
}

}  // namespace facepipe::video
