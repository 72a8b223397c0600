#include "video/stream_choice.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <cstdint>
#include <tuple>

namespace facepipe {
namespace {

bool is_video(const AVStream& stream) {
  constexpr int kPictures = AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS;
  return stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO && (stream.disposition & kPictures) == 0;
}

bool is_grey(const AVStream& stream) {
  const AVPixFmtDescriptor* const format =
      av_pix_fmt_desc_get(static_cast<AVPixelFormat>(stream.codecpar->format));
  return format != nullptr && format->nb_components < 3 &&
         (format->flags & AV_PIX_FMT_FLAG_PAL) == 0;
}

/// What speaks for a stream, the weightiest first.
auto merits_of(const AVStream& stream) {
  constexpr int kForSome =
      AV_DISPOSITION_HEARING_IMPAIRED | AV_DISPOSITION_VISUAL_IMPAIRED | AV_DISPOSITION_DEPENDENT;
  const AVCodecParameters& video = *stream.codecpar;
  const std::int64_t area = std::int64_t{video.width} * video.height;
  const bool decodes = avcodec_find_decoder(video.codec_id) != nullptr;
  return std::tuple(area > 0 && decodes, (stream.disposition & kForSome) == 0,
                    (stream.disposition & AV_DISPOSITION_DEFAULT) != 0, area, !is_grey(stream));
}

}  // namespace

int choose_video_stream(const AVFormatContext& input) {
  int best = -1;
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    const AVStream& stream = *input.streams[i];
    if (!is_video(stream)) continue;
    if (best < 0 || merits_of(stream) > merits_of(*input.streams[best])) best = static_cast<int>(i);
  }
  return best;
}

}  // namespace facepipe
