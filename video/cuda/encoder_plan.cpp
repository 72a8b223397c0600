#include "video/cuda/encoder_plan.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include "video/frames/pictures.h"

namespace facepipe::video {
namespace {

bool is_odd(Size size) { return size.width % 2 != 0 || size.height % 2 != 0; }

AVPixelFormat surface_for(const AVCodec& nvenc, const PictureFacts& pictures) {
  return narrows_to_8_bits(nvenc) ? AV_PIX_FMT_NV12 : pictures.format;
}

NvencTask task_of(const AVCodec& nvenc, const PictureFacts& pictures, Size size,
                  const EncoderOptions& options) {
  NvencTask task;
  task.encoder = nvenc.name;
  task.size = size;
  task.surface = surface_for(nvenc, pictures);
  task.interlaced = pictures.interlaced;
  task.options = nvenc_options(nvenc.name, options);
  return task;
}

EncoderPlan plan_of(const AVCodec& nvenc, const PictureFacts& pictures) {
  return {&nvenc, pictures.format, surface_for(nvenc, pictures)};
}

/// Returns why NVENC isn't chosen, if the user hasn't named it; empty if it is chosen.
std::string reason_against(const AVCodec& nvenc, const PictureFacts& pictures, Size size,
                           const EncoderOptions& options, const NvencProbe& probe) {
  const int most = narrows_to_8_bits(nvenc) ? 8 : 10;
  if (bits_of(pictures.format) > most)
    return "it takes at most " + std::to_string(most) + " bits, but the pictures have more";
  if (is_odd(size)) return "it takes only even sizes, but the pictures are " + to_string(size);
  try {
    return probe(task_of(nvenc, pictures, size, options));
  } catch (const Error& refused) {
    if (refused.kind() != ErrorKind::usage) throw;
    return refused.what();  // these options are for an encoder on the CPU
  }
}

EncoderPlan plan_named(const AVCodec& nvenc, const PictureFacts& pictures, Size size,
                       const EncoderOptions& options, const std::string& output,
                       const NvencProbe& probe, Notices& notices) {
  const NvencTask task = task_of(nvenc, pictures, size, options);
  if (is_odd(size))
    throw Error(ErrorKind::output, output + ": " + nvenc.name +
                                       " takes only even sizes, but the pictures are " +
                                       to_string(size) + "; try --codec libx264");
  const std::string reason = probe(task);
  if (!reason.empty())
    throw Error(ErrorKind::device, std::string(nvenc.name) + " can't encode " + to_string(size) +
                                       " in " + av_get_pix_fmt_name(task.surface) + ": " + reason);
  if (task.surface == AV_PIX_FMT_P016LE)
    notices.add(std::string("pictures encoded with only 10 bits, because ") + nvenc.name +
                " takes no more");
  return plan_of(nvenc, pictures);
}

}  // namespace

EncoderPlan plan_cuda_encoder(const AVCodec& codec, const PictureFacts& pictures, Size size,
                              const EncoderOptions& options, const std::string& output,
                              const NvencProbe& probe, Notices& notices) {
  if (is_nvenc(codec)) return plan_named(codec, pictures, size, options, output, probe, notices);
  const std::string name = leaves_encoder_open(options) ? nvenc_name(codec.id) : "";
  const AVCodec* const nvenc = avcodec_find_encoder_by_name(name.c_str());
  if (nvenc != nullptr) {
    const std::string reason = reason_against(*nvenc, pictures, size, options, probe);
    if (reason.empty()) return plan_of(*nvenc, pictures);
    notices.add(std::string("encoded by ") + codec.name + " because " + name + " can't: " + reason);
  }
  EncoderPlan plan = plan_encoder(codec, pictures.format, size, output, notices);
  plan.working = pictures.format;
  return plan;
}

}  // namespace facepipe::video
