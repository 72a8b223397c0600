// Gives FFmpeg's hardware decoders and encoders access to CUDA.
#pragma once

#include <memory>
#include <string>

#include "core/cuda/stream.h"
#include "core/device.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Returns FFmpeg's handle of the device's primary context, the one that the runtime uses. Its work
/// goes to `stream`, which it holds. Makes `device` current. Throws Error(device).
[[nodiscard]] UniqueAVBuffer open_hardware_device(Device device,
                                                  std::shared_ptr<cuda::Stream> stream);

/// Returns FFmpeg's decoder for the codec that can use NVDEC; nullptr if there is none.
[[nodiscard]] const AVCodec* hardware_codec(AVCodecID id);

/// Returns why NVDEC can't decode the kind of pictures for which `decoder` asks a format, as far as
/// FFmpeg can tell beforehand; empty if nothing speaks against it. In that case the decoder is told
/// how many surfaces it needs, so that `kept` surfaces can be held outside of it.
[[nodiscard]] std::string reason_against_hardware(AVCodecContext& decoder, AVBufferRef& device,
                                                  int kept);

}  // namespace facepipe::video
