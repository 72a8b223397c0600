#include "video/decoding_stamps.h"

#include "core/error.h"

namespace facepipe {

DecodingStamps::DecodingStamps(int lead, std::int64_t frame_ticks)
    : lead_(lead), frame_ticks_(frame_ticks) {
  if (lead < 0 || frame_ticks < 1)
    throw Error(ErrorKind::internal, "decoding stamps: a lead of 0 and a tick are the least");
}

void DecodingStamps::sent(std::int64_t stamp) {
  if (!begun_)
    for (int ahead = lead_; ahead > 0; --ahead) stamps_.push_back(stamp - ahead * frame_ticks_);
  begun_ = true;
  stamps_.push_back(stamp);
}

std::int64_t DecodingStamps::next() {
  // As many as the lead are left when the last picture's packet has come.
  if (!begun_ || stamps_.size() <= static_cast<std::size_t>(lead_))
    throw Error(ErrorKind::internal, "decoding stamps: a packet without a picture");
  const std::int64_t stamp = stamps_.front();
  stamps_.pop_front();
  return stamp;
}

}  // namespace facepipe
