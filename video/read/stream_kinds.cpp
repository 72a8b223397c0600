#include "video/read/stream_kinds.h"

namespace facepipe::video {
namespace {

bool is_subtitle_of(int property, const AVStream& stream) {
  const AVCodecDescriptor* const d = avcodec_descriptor_get(stream.codecpar->codec_id);
  return stream.codecpar->codec_type == AVMEDIA_TYPE_SUBTITLE && d != nullptr &&
         (d->props & property) != 0;
}

}  // namespace

bool is_attached_picture(const AVStream& stream) {
  constexpr int kAttached = AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS;
  return (stream.disposition & kAttached) != 0;
}

bool is_text_subtitle(const AVStream& stream) {
  return is_subtitle_of(AV_CODEC_PROP_TEXT_SUB, stream);
}

bool is_bitmap_subtitle(const AVStream& stream) {
  return is_subtitle_of(AV_CODEC_PROP_BITMAP_SUB, stream);
}

}  // namespace facepipe::video
