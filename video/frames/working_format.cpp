#include "video/frames/working_format.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <array>

#include "video/frames/pictures.h"

namespace facepipe::video {
namespace {

// Sources whose format the stages can't use are converted to one of these formats.
constexpr std::array kWorking{
    AV_PIX_FMT_YUV420P,   AV_PIX_FMT_YUV422P,   AV_PIX_FMT_YUV444P,   AV_PIX_FMT_YUVJ420P,
    AV_PIX_FMT_YUVJ422P,  AV_PIX_FMT_YUVJ444P,  AV_PIX_FMT_YUV420P10, AV_PIX_FMT_YUV422P10,
    AV_PIX_FMT_YUV444P10, AV_PIX_FMT_YUV444P12, AV_PIX_FMT_YUVA420P,  AV_PIX_FMT_YUVA444P,
    AV_PIX_FMT_GBRP,      AV_PIX_FMT_GBRAP,     AV_PIX_FMT_GBRP16,    AV_PIX_FMT_GBRAP16};

}  // namespace

AVPixelFormat closest(std::span<const AVPixelFormat> formats, AVPixelFormat source) {
  const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(source);
  const bool alpha = description != nullptr && (description->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
  AVPixelFormat best = AV_PIX_FMT_NONE;
  for (const AVPixelFormat format : formats) {
    const AVPixFmtDescriptor* candidate = av_pix_fmt_desc_get(format);
    if (candidate == nullptr || (candidate->flags & AV_PIX_FMT_FLAG_HWACCEL) != 0) continue;
    best = av_find_best_pix_fmt_of_2(best, format, source, alpha ? 1 : 0, nullptr);
  }
  return best;
}

AVPixelFormat coloured(AVPixelFormat source) {
  const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(source);
  if (description == nullptr) return source;
  if ((description->flags & AV_PIX_FMT_FLAG_PAL) != 0) return AV_PIX_FMT_RGBA;
  if (description->nb_components >= 3) return source;
  const bool alpha = (description->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
  if (description->comp[0].depth > 8) return alpha ? AV_PIX_FMT_RGBA64 : AV_PIX_FMT_RGB48;
  return alpha ? AV_PIX_FMT_RGBA : AV_PIX_FMT_RGB24;
}

AVPixelFormat working_format(AVPixelFormat source) {
  if (workable_format(source)) return source;
  // The swapped format has the same samples, in the byte order of this machine.
  const AVPixelFormat swapped = av_pix_fmt_swap_endianness(source);
  return workable_format(swapped) ? swapped : closest(kWorking, coloured(source));
}

}  // namespace facepipe::video
