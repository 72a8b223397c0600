// Declares encoders that take frames in device memory and give packets: NVENC, nvJPEG, or the CPU
// with a counted download.
#pragma once

#include <memory>

#include "core/copies.h"
#include "core/device.h"
#include "video/write/encoder.h"

namespace facepipe::video {

/// Makes FFmpeg's encoder setup.plan.codec, one of NVENC's, for frames like `first`. Its surfaces
/// have the format setup.plan.encoded (NV12, P010LE or P016LE). Deeper frames are rounded to 8 bits
/// for NV12. Its options are nvenc_options(). So far it has run against a stand-in for the driver's
/// library (tests/video/cuda/fake_nvenc.h), and not on a chip that has NVENC.
///
/// encode() waits for Frame::ready on the device, not on the host, and keeps the frame until the
/// next one comes (see the note on surfaces). CUDA's current device must be `device`, that of the
/// frames. Errors: as make_cpu_encoder() and nvenc_options(); Error(device); Error(internal) for a
/// frame that differs from the first in size or format.
[[nodiscard]] std::unique_ptr<Encoder> make_nvenc_encoder(const EncoderSetup& setup,
                                                          const Frame& first, Device device,
                                                          Notices& notices, CopyCounter& copies);

/// Quality of pictures, 1..100, if the user asks for none.
inline constexpr int kDefaultJpegQuality = 95;

/// Opens nvJPEG, which takes 0.2 s. The result serves any number of encoders in any threads, on the
/// device that was current at the opening. It keeps what the encoders worked with, up to 256
/// megapixels, for others of the same size and quality. Throws Error(device).
struct NvjpegLibrary;
[[nodiscard]] std::shared_ptr<NvjpegLibrary> open_nvjpeg();

/// Makes an encoder of baseline JPEG 4:2:0 of full range by nvJPEG, for frames like `first`: NV12,
/// P010 or P016 on CUDA. More than 8 bits are rounded to 8; the caller decides whether that is
/// allowed. setup.options.options may have "quality", 1..100. setup.plan and setup.threads are
/// ignored.
///
/// Up to `in_flight` pictures are encoded at the same time. encode() waits for Frame::ready on the
/// device, not on the host, and gives the packets that are ready. It waits for the oldest packet
/// only if `in_flight` pictures are on their way. If `in_flight` is 1, it gives each frame's packet
/// before it returns. A frame is destroyed when its packet is given. CUDA's current device must be
/// that of the frames.
///
/// `nvjpeg` may end before the encoder. Errors: Error(usage) for another option or quality;
/// Error(device) if CUDA or nvJPEG fails.
[[nodiscard]] std::unique_ptr<Encoder> make_jpeg_encoder(const EncoderSetup& setup,
                                                         const Frame& first, NvjpegLibrary& nvjpeg,
                                                         int in_flight, Notices& notices,
                                                         CopyCounter& copies);

/// Makes an encoder on the CPU for frames in device memory. Each picture is downloaded to pinned
/// memory by asynchronous copies while the one before it is encoded. `first` must be in device
/// memory, as all frames. CUDA's current device must be that of the frames. Errors: as
/// make_cpu_encoder(); Error(device).
[[nodiscard]] std::unique_ptr<Encoder> make_downloading_encoder(const EncoderSetup& setup,
                                                                const Frame& first,
                                                                Notices& notices,
                                                                CopyCounter& copies);

/// How many frames the encoder keeps in device memory beyond the one that it was given.
inline constexpr int kDownloading = 1;

// Note: surfaces
//
// NVENC gets copies of the frames, made on the device, and not NVDEC's own surfaces. FFmpeg keeps
// each picture that it has handed to NVENC until the packet comes out. It holds back as many
// pictures as it has surfaces: four for each picture from one P to the next, and more with
// look-ahead. Most often that is 12 to 16. NVDEC has at most 32 surfaces, and the stream's
// reference pictures and the frames in flight use them, too. NVENC also wants chroma right after
// luma, which isn't so in a cropped picture. A copy is one pass through the device's memory, and
// releases the decoder's surface at once.
//
// The copies have their own stream. NVENC reads after the work of its stream, which waits for each
// copy. The driver may put its own waits into that stream, and no copy should wait for these. A
// surface is written again only when FFmpeg has released it, which it does when the packet is
// there.

}  // namespace facepipe::video
