#include "pipeline/lanes/presentation.h"

namespace facepipe::pipeline {

Presentation::Presentation(const video::Demuxer& demuxer, const video::Encoder* encoder,
                           video::Notices& notices)
    : timeline_(demuxer, std::nullopt, std::nullopt, notices) {
  if (encoder != nullptr) clock_.emplace(encoder->time_base(), notices);
}

Frame Presentation::next(const video::Timing& coded) {
  const video::Timing timing = timeline_.next(coded.pts, coded.duration);
  Frame stamped;
  stamped.index = next_index_++;
  stamped.pts = timing.pts;
  stamped.duration = timing.duration;
  stamped.time_base = video::from_av(timeline_.time_base());
  return stamped;
}

void Presentation::restamp(FinishedFrame& frame) {
  const Frame stamped = next(frame.coded);
  FrameRecord& record = frame.encoded.record;
  record.index = stamped.index;
  record.pts_s = stamped.seconds();
  if (!clock_) return;
  AVPacket& packet = *frame.encoded.packet;
  packet.pts = clock_->next_stamp(stamped);
  packet.dts = packet.pts;
  packet.duration = clock_->duration_of(stamped);
}

}  // namespace facepipe::pipeline
