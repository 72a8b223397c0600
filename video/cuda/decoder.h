// Declares three kinds of decoders that use a CUDA device: NVDEC with frames in device memory,
// NVDEC with a counted download to host memory, and the CPU with a counted upload to device memory.
#pragma once

#include <memory>

#include "core/copies.h"
#include "core/device.h"
#include "video/read/decoder.h"

namespace facepipe::video {

class KeptDecoders;
class UploadMemory;

/// Makes a decoder that decodes through FFmpeg and NVDEC into NV12 (8 bits), P010 (10) or P016
/// (more) on `device`. Frames are NVDEC's own surfaces, and their Frame::ready is set. There are
/// options.frames_alive more surfaces than decoding needs, at most 32 in all. Destroying a frame
/// returns its surface to the decoder.
///
/// The decoder refuses a stream that NVDEC can't decode, because of the stream's format, its size
/// or the number of surfaces. If NVDEC can't continue after the first picture, the error is
/// Error(device). If pictures change their size or format, the device converts them to the size and
/// format of the first picture (DecoderOptions::scale_on_change). The decoder can't turn pictures;
/// if the target asks for this, the error is Error(output).
///
/// With `kept`, the decoder continues with a kept decoder of the same kind, if there is one. At its
/// end it gives its own decoder to `kept`, if the stream is H.264 and has ended without loss. The
/// pictures are the same with and without `kept`.
///
/// `demuxer` and `notices` must outlive the decoder. Errors: as make_cpu_decoder(); Error(device)
/// if the device can't be used.
[[nodiscard]] std::unique_ptr<Decoder> make_nvdec_decoder(
    const Demuxer& demuxer, const DecoderOptions& options, Device device, Notices& notices,
    std::shared_ptr<KeptDecoders> kept = nullptr);

/// Makes a decoder that decodes in the same way, and downloads each surface at once. Frames are
/// NV12, P010 or P016 in pinned host memory. If more than options.frames_alive frames exist, more
/// memory is allocated. `copies` must outlive the decoder's frame maker.
[[nodiscard]] std::unique_ptr<Decoder> make_nvdec_to_host_decoder(const Demuxer& demuxer,
                                                                  const DecoderOptions& options,
                                                                  Device device, Notices& notices,
                                                                  CopyCounter& copies);

/// Makes a decoder that decodes on the CPU, and uploads 4:2:0 of 8, 10 or 16 bits to `device`. Its
/// frames are in device memory, like those of make_nvdec_decoder(). `copies` must outlive the
/// decoder's frame maker. Errors: as make_nvdec_decoder().
[[nodiscard]] std::unique_ptr<Decoder> make_uploading_decoder(
    const Demuxer& demuxer, const DecoderOptions& options, Device device,
    std::shared_ptr<UploadMemory> memory, Notices& notices, CopyCounter& copies);

}  // namespace facepipe::video
