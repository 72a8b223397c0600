// CUDA as FFmpeg's hardware decoders see it.
#pragma once

#include <memory>
#include <string>

#include "core/cuda/stream.h"
#include "core/device.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// FFmpeg's handle of the device's primary context, the one that the runtime uses. Its work goes to
/// `stream`, which it holds. Makes `device` current. Errors: Error(device).
[[nodiscard]] UniqueAVBuffer open_hardware_device(Device device,
                                                  std::shared_ptr<cuda::Stream> stream);

/// FFmpeg's decoder for the codec that can use NVDEC; nullptr where there is none.
[[nodiscard]] const AVCodec* hardware_codec(AVCodecID id);

/// Why NVDEC can't be used for pictures of the kind that `decoder` has met and is asking a format
/// for, as far as FFmpeg can tell beforehand; empty if nothing speaks against it. Then the decoder
/// has been told how many surfaces it needs so that `kept` of them can be held outside of it.
[[nodiscard]] std::string reason_against_hardware(AVCodecContext& decoder, AVBufferRef& device,
                                                  int kept);

}  // namespace facepipe::video
