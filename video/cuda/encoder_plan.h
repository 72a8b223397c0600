// Decides which encoder takes pictures that are on a CUDA device.
#pragma once

#include <functional>
#include <string>

#include "video/cuda/nvenc.h"
#include "video/frames/frame_maker.h"
#include "video/write/encoder.h"

namespace facepipe::video {

/// Answers as reason_against_nvenc() does on the device.
using NvencProbe = std::function<std::string(const NvencTask&)>;

/// Plans an encoder of NVENC of the same family as `codec` if two things hold:
/// * the options leave open which encoder of a family runs;
/// * NVENC can encode the pictures: their size is even, and NVENC takes their bits, so that none
///   are dropped (H.264 takes 8, HEVC 8 or 10). It also has the options, and the probe has no
///   objection.
/// Otherwise a notice says why not, and plan_encoder() decides. If the user names an encoder of
/// NVENC, it is never replaced. EncoderPlan::encoded is the format of NVENC's surfaces. Those for
/// H.264 always have 8 bits, even if the pictures have more; the caller must have allowed that.
///
/// @param pictures  NV12, P010LE or P016LE
/// @param size      of the pictures that are encoded
/// Errors: as plan_encoder(). For an encoder that the user names: Error(usage) for its options,
/// Error(output) for an odd size, Error(device) if the probe objects.
[[nodiscard]] EncoderPlan plan_cuda_encoder(const AVCodec& codec, const PictureFacts& pictures,
                                            Size size, const EncoderOptions& options,
                                            const std::string& output, const NvencProbe& probe,
                                            Notices& notices);

}  // namespace facepipe::video
