#include "video/read/unsent_packets.h"

#include <cstddef>
#include <cstring>
#include <utility>

namespace facepipe::video {
namespace {

/// Appends a picture's second field to the packet of its first field. The first field's stamps and
/// side data are kept.
void append_field(AVPacket& first, const AVPacket& second) {
  const int size = first.size;
  if (second.size <= 0) return;
  check_av(av_grow_packet(&first, second.size), ErrorKind::input, "a picture's two fields");
  std::memcpy(first.data + size, second.data, static_cast<std::size_t>(second.size));
  first.flags |= second.flags & AV_PKT_FLAG_CORRUPT;
}

}  // namespace

UnsentPackets::UnsentPackets(const AVCodecParameters& video)
    : fields_(video), joins_fields_(video.codec_id == AV_CODEC_ID_H264) {}

bool UnsentPackets::is_second_field(const AVPacket& packet) {
  return fields_.is_second_field(packet);
}

bool UnsentPackets::join(const AVPacket& second) {
  if (!first_field_.packet) return false;
  append_field(*first_field_.packet, second);
  finish();
  return true;
}

void UnsentPackets::push(TaggedPacket next) {
  finish();
  if (joins_fields_ && fields_.waits_for_second())
    first_field_ = std::move(next);
  else
    ready_.push_back(std::move(next));
}

void UnsentPackets::finish() {
  if (first_field_.packet) ready_.push_back(std::exchange(first_field_, {}));
}

void UnsentPackets::clear() {
  ready_.clear();
  first_field_ = {};
}

TaggedPacket UnsentPackets::pop() {
  TaggedPacket next = std::move(ready_.front());
  ready_.pop_front();
  return next;
}

}  // namespace facepipe::video
