#include "video/cuda/encoder_plan.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include "video/cuda/nvenc_options.h"
#include "video/ffmpeg_compat.h"
#include "video/pictures.h"

namespace facepipe {
namespace {

bool is_odd(Size size) { return size.width % 2 != 0 || size.height % 2 != 0; }

AVPixelFormat surface_for(const AVCodec& nvenc, const AVFrame& first) {
  return narrows_to_8_bits(nvenc) ? AV_PIX_FMT_NV12 : static_cast<AVPixelFormat>(first.format);
}

NvencTask task_of(const AVCodec& nvenc, const AVFrame& first, Size size,
                  const EncoderOptions& options) {
  NvencTask task;
  task.encoder = nvenc.name;
  task.size = size;
  task.surface = surface_for(nvenc, first);
  task.interlaced = compat::is_interlaced(first);
  task.options = nvenc_options(nvenc.name, options);
  return task;
}

EncoderPlan plan_of(const AVCodec& nvenc, const AVFrame& first) {
  return {&nvenc, static_cast<AVPixelFormat>(first.format), surface_for(nvenc, first)};
}

/// Why NVENC isn't taken unasked; empty if it is.
std::string reason_against(const AVCodec& nvenc, const AVFrame& first, Size size,
                           const EncoderOptions& options, const NvencProbe& probe) {
  const int most = narrows_to_8_bits(nvenc) ? 8 : 10;
  if (bits_of(static_cast<AVPixelFormat>(first.format)) > most)
    return "it takes " + std::to_string(most) + " bits, and the pictures have more";
  if (is_odd(size)) return "it takes even sizes, and the pictures are " + to_string(size);
  try {
    return probe(task_of(nvenc, first, size, options));
  } catch (const Error& refused) {
    if (refused.kind() != ErrorKind::usage) throw;
    return refused.what();  // options meant for the other encoder
  }
}

EncoderPlan plan_named(const AVCodec& nvenc, const AVFrame& first, Size size,
                       const EncoderOptions& options, const std::string& output,
                       const NvencProbe& probe, Notices& notices) {
  const NvencTask task = task_of(nvenc, first, size, options);
  if (is_odd(size))
    throw Error(ErrorKind::output, output + ": " + nvenc.name +
                                       " takes even sizes, and the pictures are " +
                                       to_string(size) + "; try --codec libx264");
  const std::string reason = probe(task);
  if (!reason.empty())
    throw Error(ErrorKind::device, std::string(nvenc.name) + " can't encode " + to_string(size) +
                                       " in " + av_get_pix_fmt_name(task.surface) + ": " + reason);
  if (task.surface == AV_PIX_FMT_P016LE)
    notices.add(std::string("pictures encoded with 10 bits, which is all that ") + nvenc.name +
                " takes");
  return plan_of(nvenc, first);
}

}  // namespace

EncoderPlan plan_cuda_encoder(const AVCodec& codec, const AVFrame& first, Size size,
                              const EncoderOptions& options, const std::string& output,
                              const NvencProbe& probe, Notices& notices) {
  if (is_nvenc(codec)) return plan_named(codec, first, size, options, output, probe, notices);
  const std::string name = leaves_encoder_open(options) ? nvenc_name(codec.id) : "";
  const AVCodec* const nvenc = avcodec_find_encoder_by_name(name.c_str());
  if (nvenc != nullptr) {
    const std::string reason = reason_against(*nvenc, first, size, options, probe);
    if (reason.empty()) return plan_of(*nvenc, first);
    notices.add(std::string("encoded by ") + codec.name + " because " + name + " can't: " + reason);
  }
  return plan_encoder(codec, first, size, output, notices);
}

}  // namespace facepipe
