#include "video/write/encoder_stamps.h"

#include <algorithm>

#include "core/error.h"

namespace facepipe::video {

std::int64_t EncoderClock::next_stamp(const Frame& frame) {
  const std::int64_t exact = av_rescale_q(frame.pts, to_av(frame.time_base), time_base_);
  if (av_compare_ts(exact, time_base_, frame.pts, to_av(frame.time_base)) != 0)
    notices_.add(
        "time stamps rounded to whole frames, because the encoder or the container requires it");
  const std::int64_t stamp = last_stamp_ ? std::max(exact, *last_stamp_ + 1) : exact;
  last_stamp_ = stamp;
  return stamp;
}

std::int64_t EncoderClock::duration_of(const Frame& frame) const {
  return std::max<std::int64_t>(0,
                                av_rescale_q(frame.duration, to_av(frame.time_base), time_base_));
}

DecodingStamps::DecodingStamps(int lead, std::int64_t frame_ticks)
    : lead_(lead), frame_ticks_(frame_ticks) {
  if (lead < 0 || frame_ticks < 1)
    throw Error(ErrorKind::internal,
                "decoding stamps: the lead must be at least 0, and a frame at least 1 tick");
}

void DecodingStamps::sent(std::int64_t stamp) {
  if (!begun_)
    for (int ahead = lead_; ahead > 0; --ahead) stamps_.push_back(stamp - ahead * frame_ticks_);
  begun_ = true;
  stamps_.push_back(stamp);
}

std::int64_t DecodingStamps::next() {
  // When the last picture's packet has come, `lead_` stamps remain.
  if (!begun_ || stamps_.size() <= static_cast<std::size_t>(lead_))
    throw Error(ErrorKind::internal, "decoding stamps: a packet without a picture");
  const std::int64_t stamp = stamps_.front();
  stamps_.pop_front();
  return stamp;
}

}  // namespace facepipe::video
