// Frames in device memory in, JPEG pictures out: only the bitstream leaves the device.
#pragma once

#include <memory>

#include "core/cuda/copies.h"
#include "video/encoder.h"

namespace facepipe {

/// Quality of pictures, 1..100, where none is asked for.
inline constexpr int kDefaultJpegQuality = 95;

/// nvJPEG, opened: that takes 0.2 s, and serves any number of encoders on the device that was
/// current then. Errors: Error(device).
class NvjpegLibrary;
[[nodiscard]] std::shared_ptr<const NvjpegLibrary> open_nvjpeg();

/// Baseline JPEG 4:2:0 of full range by nvJPEG, for frames like `first`: NV12, P010 or P016 on CUDA
/// (more than 8 bits are rounded to 8; who calls decides whether that may be).
/// setup.options.options: "quality", 1..100; setup.plan and setup.threads are not looked at.
///
/// Up to `in_flight` pictures are encoded at the same time. encode() waits for Frame::ready on the
/// device, not on the host, and gives the packets that have become ready; it waits only for the
/// oldest, where `in_flight` are on their way. With 1 it gives each frame's packet before it
/// returns. A frame dies when it has been read. CUDA's current device must be the frames'.
///
/// Errors: Error(usage) for another option or quality; Error(device) where CUDA or nvJPEG fails.
[[nodiscard]] std::unique_ptr<Encoder> make_jpeg_encoder(
    const EncoderSetup& setup, const Frame& first, std::shared_ptr<const NvjpegLibrary> nvjpeg,
    int in_flight, Notices& notices, CopyCounter& copies);

}  // namespace facepipe
