// Gives FFmpeg's hardware decoders and encoders access to CUDA.
#pragma once

#include <memory>
#include <string>

#include "core/cuda/stream.h"
#include "core/device.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Returns FFmpeg's handle of the device's primary context, which CUDA's runtime also uses.
/// FFmpeg's work goes to `stream`, and the handle keeps the stream alive. Makes `device` current.
/// Throws Error(device).
[[nodiscard]] UniqueAVBuffer open_hardware_device(Device device,
                                                  std::shared_ptr<cuda::Stream> stream);

/// Returns FFmpeg's decoder for the codec that can use NVDEC; nullptr if there is none.
[[nodiscard]] const AVCodec* hardware_codec(AVCodecID id);

/// Returns why NVDEC can't decode the pictures for which `decoder` asks for a format, as far as
/// FFmpeg knows beforehand; empty if there is no reason. If there is no reason, the function also
/// tells the decoder how many surfaces are needed, so that `kept` surfaces can be used outside the
/// decoder.
[[nodiscard]] std::string reason_against_hardware(AVCodecContext& decoder, AVBufferRef& device,
                                                  int kept);

}  // namespace facepipe::video
