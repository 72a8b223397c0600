// Frames in device memory in, packets out: NVENC, nvJPEG, or the CPU and a named download.
#pragma once

#include <memory>

#include "core/copies.h"
#include "core/device.h"
#include "video/write/encoder.h"

namespace facepipe::video {

/// FFmpeg's encoder setup.plan.codec, one of NVENC's, on surfaces of setup.plan.encoded (NV12,
/// P010LE or P016LE) for frames like `first`; deeper frames are rounded to 8 bits for NV12. Its
/// options are nvenc_options(). So far it was run against a stand-in for the driver's library (see
/// tests/video/cuda/fake_nvenc.h), not on a chip that has NVENC.
///
/// encode() waits for Frame::ready on the device, not on the host, and keeps the frame until the
/// next one comes: see the note on surfaces. CUDA's current device must be `device`, the frames'.
/// Errors: as make_cpu_encoder(), nvenc_options(); Error(device); Error(internal) for a frame
/// unlike the first.
[[nodiscard]] std::unique_ptr<Encoder> make_nvenc_encoder(const EncoderSetup& setup,
                                                          const Frame& first, Device device,
                                                          Notices& notices, CopyCounter& copies);

/// Quality of pictures, 1..100, where none is asked for.
inline constexpr int kDefaultJpegQuality = 95;

/// nvJPEG, opened: that takes 0.2 s, and serves any number of encoders on the device that was
/// current then, in any threads. It keeps what they worked with, for others of the same size and
/// quality, up to 256 megapixels. Errors: Error(device).
struct NvjpegLibrary;
[[nodiscard]] std::shared_ptr<NvjpegLibrary> open_nvjpeg();

/// Baseline JPEG 4:2:0 of full range by nvJPEG, for frames like `first`: NV12, P010 or P016 on CUDA
/// (more than 8 bits are rounded to 8; who calls decides whether that may be).
/// setup.options.options: "quality", 1..100; setup.plan and setup.threads are not looked at.
///
/// Up to `in_flight` pictures are encoded at the same time. encode() waits for Frame::ready on the
/// device, not on the host, and gives the packets that have become ready; it waits only for the
/// oldest, where `in_flight` are on their way. With 1 it gives each frame's packet before it
/// returns. A frame dies when it has been read. CUDA's current device must be the frames'.
///
/// `nvjpeg` may end before it. Errors: Error(usage) for another option or quality; Error(device)
/// where CUDA or nvJPEG fails.
[[nodiscard]] std::unique_ptr<Encoder> make_jpeg_encoder(const EncoderSetup& setup,
                                                         const Frame& first, NvjpegLibrary& nvjpeg,
                                                         int in_flight, Notices& notices,
                                                         CopyCounter& copies);

/// Each picture goes to pinned memory by one asynchronous copy while the one before it is encoded.
/// `first` is in device memory, as are all. CUDA's current device must be the frames'.
/// Errors: as make_cpu_encoder(); Error(device).
[[nodiscard]] std::unique_ptr<Encoder> make_downloading_encoder(const EncoderSetup& setup,
                                                                const Frame& first,
                                                                Notices& notices,
                                                                CopyCounter& copies);

/// Frames that the encoder keeps in device memory beyond the one that it was given.
inline constexpr int kDownloading = 1;

// Note: surfaces
//
// NVENC gets copies of the frames, made on the device, not NVDEC's own surfaces. FFmpeg keeps what
// it has handed to NVENC until the packet is out, and holds back as many pictures as it has
// surfaces (four for each picture from one P to the next, more with look-ahead): most often 12 to
// 16. NVDEC has 32 at most, of which the stream's reference pictures and the frames in flight take
// theirs. NVENC also wants chroma right behind luma, which a cropped picture hasn't got. A copy is
// one pass through the device's memory, and lets the decoder's surface go at once.
//
// The copies have a stream of their own: NVENC reads behind what is in its stream, which waits for
// each copy, and the driver may put its own waits into that stream, which no copy should wait for.
// A surface is written anew only when FFmpeg has let it go, which it does when the packet is there.

}  // namespace facepipe::video
