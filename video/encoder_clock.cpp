#include "video/encoder_clock.h"

#include <algorithm>

namespace facepipe {

std::int64_t EncoderClock::next_stamp(const Frame& frame) {
  const std::int64_t exact = av_rescale_q(frame.pts, to_av(frame.time_base), time_base_);
  if (av_compare_ts(exact, time_base_, frame.pts, to_av(frame.time_base)) != 0)
    notices_.add("time stamps rounded to whole frames, as encoder or container demand");
  const std::int64_t stamp = last_stamp_ ? std::max(exact, *last_stamp_ + 1) : exact;
  last_stamp_ = stamp;
  return stamp;
}

std::int64_t EncoderClock::duration_of(const Frame& frame) const {
  return std::max<std::int64_t>(0,
                                av_rescale_q(frame.duration, to_av(frame.time_base), time_base_));
}

}  // namespace facepipe
