// Declares decoders that use a CUDA device. Two of them take packets and give frames in device
// memory: NVDEC does, and so does the CPU with a counted upload. A third gives frames in host
// memory: NVDEC with a counted download.
#pragma once

#include <memory>

#include "core/copies.h"
#include "core/device.h"
#include "video/read/decoder.h"

namespace facepipe::video {

class KeptDecoders;
class UploadMemory;

/// Decodes through FFmpeg and NVDEC into NV12 (8 bits), P010 (10) or P016 (more) on `device`.
/// Frames carry Frame::ready. They are NVDEC's own surfaces. There are options.frames_alive more
/// surfaces than decoding needs, at most 32 in all. A surface goes back when its frame is
/// destroyed.
///
/// The decoder refuses what NVDEC can't decode, because of the stream's format, its size or the
/// number of surfaces. If NVDEC can't continue after the first picture, the error is Error(device).
/// Pictures that change size or format are made like the first, on the device
/// (DecoderOptions::scale_on_change). Their pixels can't be turned: Error(output).
///
/// With `kept`, it continues with a kept decoder of its kind, if there is one. When it ends, its
/// own decoder goes to `kept` if its stream is H.264 and has ended without loss. The pictures are
/// the same with and without `kept`.
///
/// `demuxer` and `notices` must outlive it. Errors: as make_cpu_decoder(); Error(device) if the
/// device can't be used.
[[nodiscard]] std::unique_ptr<Decoder> make_nvdec_decoder(
    const Demuxer& demuxer, const DecoderOptions& options, Device device, Notices& notices,
    std::shared_ptr<KeptDecoders> kept = nullptr);

/// Decodes in the same way, and downloads each surface at once. Frames are NV12, P010 or P016 in
/// pinned host memory. If more than options.frames_alive are alive, more memory is allocated.
/// `copies` must outlive its frame maker.
[[nodiscard]] std::unique_ptr<Decoder> make_nvdec_to_host_decoder(const Demuxer& demuxer,
                                                                  const DecoderOptions& options,
                                                                  Device device, Notices& notices,
                                                                  CopyCounter& copies);

/// Decodes on the CPU, and uploads 4:2:0 of 8, 10 or 16 bits to `device`. Frames there are like
/// those of make_nvdec_decoder(). `copies` must outlive its frame maker. Errors: as
/// make_nvdec_decoder().
[[nodiscard]] std::unique_ptr<Decoder> make_uploading_decoder(
    const Demuxer& demuxer, const DecoderOptions& options, Device device,
    std::shared_ptr<UploadMemory> memory, Notices& notices, CopyCounter& copies);

}  // namespace facepipe::video
