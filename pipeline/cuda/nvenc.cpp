#include "pipeline/cuda/nvenc.h"

extern "C" {
#include <libavutil/hwcontext.h>
}

#include <new>

#include "pipeline/ffmpeg_errors.h"

namespace facepipe {
namespace {

// Larger than the least that any chip's NVENC takes.
constexpr Size kTried{320, 192};

UniqueAVBuffer surfaces(AVBufferRef& hardware, int bits) {
  UniqueAVBuffer made(av_hwframe_ctx_alloc(&hardware));
  if (!made) throw std::bad_alloc();
  auto& frames = *reinterpret_cast<AVHWFramesContext*>(made->data);
  frames.format = AV_PIX_FMT_CUDA;
  frames.sw_format = bits > 8 ? AV_PIX_FMT_P010LE : AV_PIX_FMT_NV12;
  frames.width = kTried.width;
  frames.height = kTried.height;
  check_av(av_hwframe_ctx_init(made.get()), ErrorKind::device, "pictures for NVENC");
  return made;
}

}  // namespace

std::string reason_against_nvenc(const char* name, int bits, AVBufferRef& hardware) {
  const AVCodec* const codec = avcodec_find_encoder_by_name(name);
  if (codec == nullptr) return "this FFmpeg was built without it";
  const UniqueAVBuffer frames = surfaces(hardware, bits);
  const UniqueCodecContext encoder(avcodec_alloc_context3(codec));
  if (!encoder) throw std::bad_alloc();
  encoder->width = kTried.width;
  encoder->height = kTried.height;
  encoder->time_base = {1, 25};
  encoder->pix_fmt = AV_PIX_FMT_CUDA;
  encoder->hw_frames_ctx = av_buffer_ref(frames.get());
  if (encoder->hw_frames_ctx == nullptr) throw std::bad_alloc();
  const FFmpegErrors errors;
  const int code = avcodec_open2(encoder.get(), codec, nullptr);
  if (code >= 0) return {};
  const std::string cause = errors.first();
  return cause.empty() ? av_error_text(code) : cause;
}

}  // namespace facepipe
