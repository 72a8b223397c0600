// Which encoder takes pictures that are on a CUDA device.
#pragma once

#include <functional>
#include <string>

#include "video/cuda/nvenc.h"
#include "video/frames/frame_maker.h"
#include "video/write/encoder.h"

namespace facepipe::video {

/// As reason_against_nvenc() on the device.
using NvencProbe = std::function<std::string(const NvencTask&)>;

/// NVENC's encoder of the family of `codec`, where the options leave open which encoder of a family
/// runs and NVENC can do it: pictures of even size, H.264 of 8 bits or HEVC of 8 or 10 (no bits are
/// dropped for it), options that it has, and the probe says nothing against it. What speaks against
/// it is told, and the rest is plan_encoder()'s. An encoder of NVENC's own that is named is never
/// replaced. EncoderPlan::encoded is the format of NVENC's surfaces; those for H.264 are always of
/// 8 bits, whatever the pictures have, which the caller must have allowed.
///
/// @param pictures  NV12, P010LE or P016LE
/// @param size      of the pictures that are encoded
/// Errors: as plan_encoder(); of an encoder that is named: Error(usage) for its options,
/// Error(output) for an odd size, Error(device) for what the probe says.
[[nodiscard]] EncoderPlan plan_cuda_encoder(const AVCodec& codec, const PictureFacts& pictures,
                                            Size size, const EncoderOptions& options,
                                            const std::string& output, const NvencProbe& probe,
                                            Notices& notices);

}  // namespace facepipe::video
