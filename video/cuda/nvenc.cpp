#include "video/cuda/nvenc.h"

extern "C" {
#include <libavutil/hwcontext.h>
}

#include <new>

#include "video/ffmpeg_errors.h"

namespace facepipe {

std::string nvenc_name(AVCodecID family) {
  if (family == AV_CODEC_ID_H264) return "h264_nvenc";
  return family == AV_CODEC_ID_HEVC ? "hevc_nvenc" : "";
}

UniqueAVBuffer nvenc_surfaces(AVBufferRef& hardware, Size size, AVPixelFormat surface) {
  UniqueAVBuffer made(av_hwframe_ctx_alloc(&hardware));
  if (!made) throw std::bad_alloc();
  auto& frames = *reinterpret_cast<AVHWFramesContext*>(made->data);
  frames.format = AV_PIX_FMT_CUDA;
  frames.sw_format = surface;
  frames.width = size.width;
  frames.height = size.height;
  check_av(av_hwframe_ctx_init(made.get()), ErrorKind::device, "pictures for NVENC");
  return made;
}

void take_surfaces(AVCodecContext& encoder, AVBufferRef& surfaces) {
  encoder.pix_fmt = AV_PIX_FMT_CUDA;
  encoder.hw_frames_ctx = av_buffer_ref(&surfaces);
  if (encoder.hw_frames_ctx == nullptr) throw std::bad_alloc();
}

std::string reason_against_nvenc(const NvencTask& task, AVBufferRef& hardware) {
  const AVCodec* const codec = avcodec_find_encoder_by_name(task.encoder.c_str());
  if (codec == nullptr) return "this FFmpeg was built without it";
  const UniqueAVBuffer surfaces = nvenc_surfaces(hardware, task.size, task.surface);
  const UniqueCodecContext encoder = new_encoder_context(*codec);
  encoder->width = task.size.width;
  encoder->height = task.size.height;
  encoder->time_base = {1, 25};
  if (task.interlaced) encoder->flags |= AV_CODEC_FLAG_INTERLACED_DCT;
  take_surfaces(*encoder, *surfaces);
  const FFmpegErrors errors(encoder.get());
  const int code = open_with_options(*encoder, task.options);
  if (code >= 0) return {};
  const std::string cause = errors.first();
  return cause.empty() ? av_error_text(code) : cause;
}

}  // namespace facepipe
