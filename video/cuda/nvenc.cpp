#include "video/cuda/nvenc.h"

extern "C" {
#include <libavutil/hwcontext.h>
}

#include "core/error.h"
#include "video/ffmpeg.h"

namespace facepipe::video {
namespace {

constexpr double kWorstQuality = 51;

// Refuses the names of older presets, which FFmpeg also knows. The meaning of some of these names
// is unclear.
void check_preset(const std::string& name, const std::string& preset) {
  if (preset.size() == 2 && preset[0] == 'p' && preset[1] >= '1' && preset[1] <= '7') return;
  throw Error(ErrorKind::usage, "encoder " + name + " has no preset \"" + preset +
                                    "\"; its presets are p1 (fastest) to p7 (best)");
}

void add_quality(double quality, CodecOptions& to) {
  to.emplace_back("rc", "vbr");
  to.emplace_back("cq", std::to_string(quality));
  to.emplace_back("b", "0");
}

}  // namespace

std::string nvenc_name(AVCodecID family) {
  if (family == AV_CODEC_ID_H264) return "h264_nvenc";
  return family == AV_CODEC_ID_HEVC ? "hevc_nvenc" : "";
}

UniqueAVBuffer nvenc_surfaces(AVBufferRef& hardware, Size size, AVPixelFormat surface) {
  UniqueAVBuffer made(allocated(av_hwframe_ctx_alloc(&hardware)));
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
  encoder.hw_frames_ctx = allocated(av_buffer_ref(&surfaces));
}

std::string reason_against_nvenc(const NvencTask& task, AVBufferRef& hardware) {
  const AVCodec* const codec = avcodec_find_encoder_by_name(task.encoder.c_str());
  if (codec == nullptr) return "this FFmpeg was built without it";
  const UniqueAVBuffer surfaces = nvenc_surfaces(hardware, task.size, task.surface);
  const UniqueCodecContext encoder = new_codec_context(codec);
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

CodecOptions nvenc_options(const std::string& name, const EncoderOptions& options) {
  CodecOptions all = options.options;
  if (!options.preset.empty()) {
    check_preset(name, options.preset);
    all.emplace_back("preset", options.preset);
  }
  if (options.crf) {
    if (!(*options.crf > 0 && *options.crf <= kWorstQuality))
      throw Error(ErrorKind::usage, "encoder " + name + ": --crf must be above 0 and at most 51");
    add_quality(*options.crf, all);
  } else if (!names_any(options.options, {"b", "rc", "cq", "qp", "q", "cbr", "global_quality"})) {
    add_quality(kDefaultNvencQuality, all);
  }
  return all;
}

}  // namespace facepipe::video
