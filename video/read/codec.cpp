#include "video/read/codec.h"

#include <string>

#include "core/error.h"
#include "video/ffmpeg_compat.h"
#include "video/picture_limit.h"

namespace facepipe::video {
namespace {

/// Returns whether several threads of the codec may give damaged pictures away as undamaged ones.
/// FFmpeg's H.264 decoder does. A frame thread copies what is known of a picture's damage when it
/// gives the picture away, and another thread may notice damage later: of 7 damaged pictures, two
/// threads of FFmpeg 5.1 told 6 or 7, and four told 4 to 7. Slice threads don't look for damage.
bool threads_forget_damage(const AVCodec& codec) { return codec.id == AV_CODEC_ID_H264; }

}  // namespace

const AVCodec& usual_codec(const Demuxer& demuxer) {
  const AVCodecID id = demuxer.video().codecpar->codec_id;
  const AVCodec* codec = nullptr;
  // FFmpeg's own decoders of VP8 and VP9 leave out transparency; the decoders of libvpx don't.
  if (demuxer.has_separate_transparency())
    codec = avcodec_find_decoder_by_name(id == AV_CODEC_ID_VP8 ? "libvpx" : "libvpx-vp9");
  if (codec == nullptr) codec = avcodec_find_decoder(id);
  if (codec == nullptr)
    throw Error(ErrorKind::input, demuxer.url() + ": no decoder for " + avcodec_get_name(id));
  return *codec;
}

UniqueCodecContext open_codec_of(const Demuxer& demuxer, const AVCodec& codec, int threads,
                                 const std::function<void(AVCodecContext&)>& prepare) {
  UniqueCodecContext context = new_codec_context(&codec);
  check_av(avcodec_parameters_to_context(context.get(), demuxer.video().codecpar), ErrorKind::input,
           demuxer.url());
  context->pkt_timebase = demuxer.video().time_base;
  context->thread_count = threads_forget_damage(codec) ? 1 : threads;
  // Each frame thread decodes a picture of its own, so only one thread would work on a single
  // picture.
  if (demuxer.is_one_picture()) context->thread_type = FF_THREAD_SLICE;
  context->max_pixels = codec_max_pixels(demuxer.max_pixels());
  context->flags |= AV_CODEC_FLAG_UNALIGNED;  // otherwise FFmpeg rounds the left cropping
  compat::enable_tags(*context);
  if (prepare) prepare(*context);
  const int opened = avcodec_open2(context.get(), &codec, nullptr);
  check_av(opened, ErrorKind::input, demuxer.url() + ": decoder " + codec.name);
  return context;
}

std::function<void(AVCodecContext&)> leaving_out_unneeded(bool wanted) {
  if (!wanted) return {};
  return [](AVCodecContext& context) { context.skip_frame = AVDISCARD_BIDIR; };
}

}  // namespace facepipe::video
