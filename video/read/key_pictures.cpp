#include "video/read/key_pictures.h"

namespace facepipe::video {
namespace {

constexpr int kMostHeldBack = 16;  // H.264 A.3.1: max_num_reorder_frames

}  // namespace

bool KeyPictures::examine(const AVPacket& packet) {
  // Parameter sets in packets without a key picture belong to later pictures.
  if ((packet.flags & AV_PKT_FLAG_KEY) == 0) return false;
  const bool alone = entries_.examine(packet).entry == Entry::starts_independently && unchanged();
  sent_ = 0;
  if (alone && !first_) {
    first_ = reference(packet);
    // With stamps, this packet would affect how FFmpeg corrects the stamps of other pictures.
    first_->pts = AV_NOPTS_VALUE;
    first_->dts = AV_NOPTS_VALUE;
  }
  return alone;
}

UniqueAVPacket KeyPictures::next() {
  const bool enough = sent_ > kMostHeldBack;
  if (!first_ || !unchanged() || enough) return nullptr;
  ++sent_;
  return reference(*first_);
}

}  // namespace facepipe::video
