#include "video/cuda/hardware_device.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_cuda.h>
#include <libavutil/pixdesc.h>
}

#include <cuda_runtime_api.h>

#include <algorithm>
#include <utility>

#include "core/cuda/check.h"
#include "core/cuda/devices.h"
#include "video/ffmpeg_compat.h"

namespace facepipe::video {
namespace {

// The driver's documentation states a limit of 32 surfaces. FFmpeg's own pool has three more
// surfaces than it reports beforehand.
constexpr int kMostSurfaces = 32;
constexpr int kWorkSurfaces = 3;

// Looks up the driver's function by its name. The driver's library can't be linked, because a
// machine without a GPU doesn't have it.
CUcontext current_context() {
  constexpr unsigned kSince = 4000;
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  FACEPIPE_CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &function, kSince,
                                                       cudaEnableDefault, &found));
  CUcontext context = nullptr;
  if (found == cudaDriverEntryPointSuccess)
    reinterpret_cast<CUresult (*)(CUcontext*)>(function)(&context);
  if (context == nullptr) throw Error(ErrorKind::device, "CUDA's primary context isn't current");
  return context;
}

// Returns how many surfaces FFmpeg needs for H.264 beyond those that it counts. It counts reference
// pictures, reordered pictures (both as the stream states them), and two more. But FFmpeg's decoder
// holds back has_b_frames pictures. If a container's stamps jump, as between the parts of an edit
// list, FFmpeg has guessed a larger has_b_frames before the decoder was opened. If there are too
// few surfaces, FFmpeg doesn't report an error, but returns pictures without memory.
int uncounted_surfaces(const AVCodecContext& decoder, int counted) {
  constexpr int kWork = 2;
  if (decoder.codec_id != AV_CODEC_ID_H264) return 0;
  const int reordered = counted - kWork - decoder.refs;
  return std::max(0, decoder.has_b_frames - reordered);
}

}  // namespace

UniqueAVBuffer open_hardware_device(Device device, std::shared_ptr<cuda::Stream> stream) {
  cuda::use_device(device);
  UniqueAVBuffer hardware(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA));
  if (!hardware)
    throw Error(ErrorKind::device, "this FFmpeg was built without CUDA: it can't use NVDEC");
  auto& context = *reinterpret_cast<AVHWDeviceContext*>(hardware->data);
  auto& cuda = *static_cast<AVCUDADeviceContext*>(context.hwctx);
  // AV_CUDA_USE_PRIMARY_CONTEXT isn't used. It fails if the context was made with other flags than
  // FFmpeg's.
  cuda.cuda_ctx = current_context();
  cuda.stream = stream->view().get();
  context.user_opaque = new std::shared_ptr<cuda::Stream>(std::move(stream));
  context.free = [](AVHWDeviceContext* ended) {
    const std::unique_ptr<std::shared_ptr<cuda::Stream>> last(
        static_cast<std::shared_ptr<cuda::Stream>*>(ended->user_opaque));
  };
  check_av(av_hwdevice_ctx_init(hardware.get()), ErrorKind::device,
           to_string(device) + " for NVDEC");
  return hardware;
}

const AVCodec* hardware_codec(AVCodecID id) {
  void* place = nullptr;
  while (const AVCodec* codec = av_codec_iterate(&place)) {
    if (codec->id != id || av_codec_is_decoder(codec) == 0) continue;
    for (int i = 0; const AVCodecHWConfig* config = avcodec_get_hw_config(codec, i); ++i)
      if (config->pix_fmt == AV_PIX_FMT_CUDA &&
          (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX) != 0)
        return codec;
  }
  return nullptr;
}

std::string reason_against_hardware(AVCodecContext& decoder, AVBufferRef& device, int kept) {
  const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(decoder.sw_pix_fmt);
  if (description == nullptr || description->nb_components < 3 || description->log2_chroma_w != 1 ||
      description->log2_chroma_h != 1)
    return "its pictures aren't 4:2:0";
  // For other profiles, NVDEC doesn't say beforehand whether it can decode them.
  if (decoder.codec_id == AV_CODEC_ID_MJPEG && decoder.profile != compat::kBaselineJpeg)
    return "it decodes baseline JPEG only";
  decoder.extra_hw_frames = kept;
  AVBufferRef* raw = nullptr;
  if (avcodec_get_hw_frames_parameters(&decoder, &device, AV_PIX_FMT_CUDA, &raw) < 0)
    return "FFmpeg can't describe surfaces for it";
  const UniqueAVBuffer frames(raw);
  const int counted = reinterpret_cast<const AVHWFramesContext*>(frames->data)->initial_pool_size;
  const int uncounted = uncounted_surfaces(decoder, counted - kept);
  decoder.extra_hw_frames += uncounted;
  const int surfaces = counted + uncounted + kWorkSurfaces;
  if (surfaces > kMostSurfaces)
    return "its reference pictures and the frames in flight need " + std::to_string(surfaces) +
           " surfaces, but NVDEC has only " + std::to_string(kMostSurfaces) +
           "; use fewer frames in flight";
  return {};
}

}  // namespace facepipe::video
