// Declares encoders for frames in device memory: NVENC, nvJPEG, or the CPU with a counted download.
#pragma once

#include <memory>

#include "core/copies.h"
#include "core/device.h"
#include "video/write/encoder.h"

namespace facepipe::video {

/// Makes FFmpeg's encoder setup.plan.codec, one of NVENC's, for frames like `first`. Its surfaces
/// have the format setup.plan.encoded (NV12, P010LE or P016LE). For NV12, deeper frames are rounded
/// to 8 bits. Its options are nvenc_options(). So far it has run only with a stand-in for the
/// driver's library (tests/video/cuda/fake_nvenc.h), never on a chip that has NVENC.
///
/// encode() waits for Frame::ready on the device, not on the host. It keeps the frame until the
/// next frame comes (see the note on surfaces). CUDA's current device must be `device`, and the
/// frames must be there. Errors: as make_cpu_encoder() and nvenc_options(); Error(device);
/// Error(internal) for a frame that differs from the first in size or format.
[[nodiscard]] std::unique_ptr<Encoder> make_nvenc_encoder(const EncoderSetup& setup,
                                                          const Frame& first, Device device,
                                                          Notices& notices, CopyCounter& copies);

/// Quality of the pictures, 1..100, if the user sets none.
inline constexpr int kDefaultJpegQuality = 95;

/// Opens nvJPEG, which takes 0.2 s. The result serves any number of encoders in any threads, on the
/// device that was current at the opening. It keeps the memory of ended encoders, up to 256
/// megapixels, for other encoders of the same size and quality. Throws Error(device).
struct NvjpegLibrary;
[[nodiscard]] std::shared_ptr<NvjpegLibrary> open_nvjpeg();

/// Makes an encoder by nvJPEG for frames like `first`: NV12, P010 or P016 on CUDA. It encodes
/// baseline JPEG 4:2:0 of full range. More than 8 bits are rounded to 8; the caller decides whether
/// that is allowed. setup.options.options may contain "quality", 1..100. It ignores setup.plan and
/// setup.threads.
///
/// Up to `in_flight` pictures are encoded at the same time. encode() waits for Frame::ready on the
/// device, not on the host, and gives the packets that are ready. It waits for the oldest packet
/// only if `in_flight` pictures are being encoded. If `in_flight` is 1, encode() gives each frame's
/// packet before it returns. A frame is destroyed when its packet is given. CUDA's current device
/// must be the device of the frames.
///
/// `nvjpeg` may end before the encoder. Errors: Error(usage) for another option or quality;
/// Error(device) if CUDA or nvJPEG fails.
[[nodiscard]] std::unique_ptr<Encoder> make_jpeg_encoder(const EncoderSetup& setup,
                                                         const Frame& first, NvjpegLibrary& nvjpeg,
                                                         int in_flight, Notices& notices,
                                                         CopyCounter& copies);

/// Makes an encoder on the CPU for frames in device memory. Asynchronous copies download each
/// picture to pinned memory while the previous picture is encoded. `first` and all other frames
/// must be in device memory. CUDA's current device must be the device of the frames. Errors: as
/// make_cpu_encoder(); Error(device).
[[nodiscard]] std::unique_ptr<Encoder> make_downloading_encoder(const EncoderSetup& setup,
                                                                const Frame& first,
                                                                Notices& notices,
                                                                CopyCounter& copies);

/// Number of frames that the encoder keeps in device memory, besides the frame that it was given
/// last.
inline constexpr int kDownloading = 1;

// Note: surfaces
//
// NVENC gets copies of the frames, made on the device, and not NVDEC's own surfaces. FFmpeg keeps
// each picture that NVENC got until the picture's packet comes out. It holds back as many pictures
// as it has surfaces: four for each picture from one P picture to the next, and more with
// look-ahead. Usually these are 12 to 16 pictures. NVDEC has at most 32 surfaces, which the
// stream's reference pictures and the frames in flight also use. NVENC also needs chroma right
// after luma, but a cropped picture has rows between them. A copy reads and writes the picture
// once, and releases the decoder's surface at once.
//
// The copies run in a stream of their own. NVENC's stream waits for each copy, and NVENC reads the
// copy after that. The driver can add other waits to NVENC's stream. The copies should not have to
// wait for these. A surface is written again only after FFmpeg has released it, when its packet has
// come.

}  // namespace facepipe::video
