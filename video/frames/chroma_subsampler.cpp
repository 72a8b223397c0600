#include "video/frames/chroma_subsampler.h"

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include <array>

namespace facepipe::video {
namespace {

Size chroma_size(Size luma, AVPixelFormat format) {
  const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(format);
  return {AV_CEIL_RSHIFT(luma.width, d.log2_chroma_w),
          AV_CEIL_RSHIFT(luma.height, d.log2_chroma_h)};
}

/// Returns a scaler of grey pictures, because a plane of chroma is scaled like a grey picture.
SwsContext* grey_scaler(Size from, Size to, const std::string& scaling) {
  SwsContext* const scaler = allocated(sws_alloc_context());
  for (const auto& [name, value] :
       std::array<std::pair<const char*, int>, 6>{{{"srcw", from.width},
                                                   {"srch", from.height},
                                                   {"src_format", AV_PIX_FMT_GRAY8},
                                                   {"dstw", to.width},
                                                   {"dsth", to.height},
                                                   {"dst_format", AV_PIX_FMT_GRAY8}}})
    av_opt_set_int(scaler, name, value, 0);
  av_opt_set(scaler, "sws_flags", scaling.c_str(), 0);
  return scaler;
}

UniqueAVBuffer buffer_of(AVFrame& picture, int plane) {
  return UniqueAVBuffer(allocated(av_buffer_ref(av_frame_get_plane_buffer(&picture, plane))));
}

}  // namespace

bool ChromaSubsampler::takes(const PictureKind& from, AVChromaLocation chroma) {
  const bool finer = from.format == AV_PIX_FMT_YUVJ444P || from.format == AV_PIX_FMT_YUVJ422P ||
                     from.format == AV_PIX_FMT_YUVJ440P;
  return finer && from.range == AVCOL_RANGE_JPEG &&
         (chroma == AVCHROMA_LOC_CENTER || chroma == AVCHROMA_LOC_UNSPECIFIED);
}

ChromaSubsampler::ChromaSubsampler(const PictureKind& from, const std::string& scaling)
    : from_(chroma_size(from.size, from.format)),
      to_(chroma_size(from.size, AV_PIX_FMT_YUVJ420P)),
      stride_(FFALIGN(to_.width, kPlaneAlignment)),
      scaler_(grey_scaler(from_, to_, scaling)) {
  check_av(sws_init_context(scaler_.get(), nullptr, nullptr), ErrorKind::internal,
           "scaler of chroma");
  pool_.reset(allocated(av_buffer_pool_init(
      2 * static_cast<std::size_t>(stride_) * static_cast<std::size_t>(to_.height) +
          kPlaneAlignment,
      nullptr)));
}

UniqueAVFrame ChromaSubsampler::apply(UniqueAVFrame picture) {
  UniqueAVFrame result = new_av_frame();
  check_av(av_frame_copy_props(result.get(), picture.get()), ErrorKind::internal,
           "a picture's properties");
  result->format = AV_PIX_FMT_YUVJ420P;
  result->width = picture->width;
  result->height = picture->height;
  result->buf[0] = buffer_of(*picture, 0).release();
  result->data[0] = picture->data[0];
  result->linesize[0] = picture->linesize[0];
  add_chroma(*picture, *result);
  return result;
}

void ChromaSubsampler::add_chroma(const AVFrame& from, AVFrame& to) {
  to.buf[1] = allocated(av_buffer_pool_get(pool_.get()));
  for (int plane = 1; plane < 3; ++plane) {
    to.data[plane] = to.buf[1]->data + (plane - 1) * stride_ * to_.height;
    to.linesize[plane] = stride_;
    // FFmpeg reads four entries of each array for every format.
    const std::array<const std::uint8_t*, 4> source{from.data[plane]};
    const std::array<int, 4> source_strides{from.linesize[plane]};
    const std::array<std::uint8_t*, 4> made{to.data[plane]};
    const std::array<int, 4> made_strides{stride_};
    check_av(sws_scale(scaler_.get(), source.data(), source_strides.data(), 0, from_.height,
                       made.data(), made_strides.data()),
             ErrorKind::internal, "scaler of chroma");
  }
}

}  // namespace facepipe::video
