#include "video/read/stream_span.h"

#include <utility>

#include "video/ffmpeg_compat.h"

namespace facepipe::video {

/// For the first packet, an idle codec is either prepared to go on or flushed.
void StreamSpan::see(const AVPacket& packet, AVCodecContext& codec,
                     const AVCodecParameters& video) {
  const bool starts_independently = keys_ && keys_->examine(packet);
  if (!std::exchange(begins_, false) || !std::exchange(idle_, false)) return;
  if (!starts_independently) return avcodec_flush_buffers(&codec);
  // A codec learns these two facts from its stream, so they are reset for the next stream.
  codec.has_b_frames = video.video_delay;
  compat::forget_stamps(codec);
}

bool StreamSpan::try_idle() {
  idle_ = keys_->unchanged();
  finished_ = idle_;
  return idle_;
}

void StreamSpan::restart() {
  begins_ = true;
  finishing_ = false;
  finished_ = false;
}

}  // namespace facepipe::video
