// Decides which encoder encodes pictures that are on a CUDA device.
#pragma once

#include <functional>
#include <string>

#include "video/cuda/nvenc.h"
#include "video/frames/frame_maker.h"
#include "video/write/encoder.h"

namespace facepipe::video {

/// Returns the result of reason_against_nvenc() on the device.
using NvencProbe = std::function<std::string(const NvencTask&)>;

/// Plans NVENC's encoder of the same family as `codec` if two things are true:
/// * The options leave open which encoder of a family runs.
/// * NVENC can encode the pictures. Their size must be even. NVENC must take all their bits (H.264
///   takes 8, HEVC 8 or 10), have the options, and pass the probe.
/// Otherwise a notice gives the reason, and plan_encoder() decides. If the user names an encoder of
/// NVENC, it is never replaced. EncoderPlan::encoded is the format of NVENC's surfaces. Surfaces
/// for H.264 always have 8 bits, even if the pictures have more; the caller must have allowed that.
///
/// @param pictures  NV12, P010LE or P016LE
/// @param size      size of the pictures that are encoded
/// Errors: as plan_encoder(). For an encoder that the user names: Error(usage) for its options,
/// Error(output) for an odd size, Error(device) if the probe fails.
[[nodiscard]] EncoderPlan plan_cuda_encoder(const AVCodec& codec, const PictureFacts& pictures,
                                            Size size, const EncoderOptions& options,
                                            const std::string& output, const NvencProbe& probe,
                                            Notices& notices);

}  // namespace facepipe::video
