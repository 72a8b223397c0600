// Packets in, frames in device memory out: NVDEC, or the CPU and a named upload. Or frames in host
// memory: NVDEC and a named download.
#pragma once

#include <memory>

#include "core/copies.h"
#include "core/device.h"
#include "video/read/decoder.h"

namespace facepipe::video {

class KeptDecoders;
class UploadMemory;

/// Decodes through FFmpeg and NVDEC into NV12 (8 bits), P010 (10) or P016 (more) on `device`.
/// Frames carry Frame::ready. They are NVDEC's own surfaces, of which there are
/// options.frames_alive more than decoding needs, 32 in all at most; a surface goes back when its
/// frame dies.
///
/// It refuses what NVDEC can't decode, by the stream's format, size and the surfaces it needs. What
/// NVDEC can't go on with after the first picture is Error(device). Pictures that change size or
/// format are made like the first, on the device (DecoderOptions::scale_on_change); their pixels
/// can't be turned: Error(output).
///
/// With `kept` it goes on with a decoder that is kept there, if there is one of its kind, and goes
/// there itself when it dies, if its stream, of H.264, has come to its end without loss: what comes
/// out is the same.
///
/// `demuxer` and `notices` must outlive it. Errors: as make_cpu_decoder(); Error(device) where the
/// device can't be used.
[[nodiscard]] std::unique_ptr<Decoder> make_nvdec_decoder(
    const Demuxer& demuxer, const DecoderOptions& options, Device device, Notices& notices,
    std::shared_ptr<KeptDecoders> kept = nullptr);

/// The same, but that each surface is downloaded at once: frames are NV12, P010 or P016 in pinned
/// host memory, options.frames_alive at once before more is allocated. `copies` must outlive its
/// frame maker.
[[nodiscard]] std::unique_ptr<Decoder> make_nvdec_to_host_decoder(const Demuxer& demuxer,
                                                                  const DecoderOptions& options,
                                                                  Device device, Notices& notices,
                                                                  CopyCounter& copies);

/// Decodes on the CPU, and uploads 4:2:0 of 8 bits, 10 or 16 to `device`, where frames are as those
/// of make_nvdec_decoder(). `copies` must outlive its frame maker. Errors: likewise.
[[nodiscard]] std::unique_ptr<Decoder> make_uploading_decoder(
    const Demuxer& demuxer, const DecoderOptions& options, Device device,
    std::shared_ptr<UploadMemory> memory, Notices& notices, CopyCounter& copies);

}  // namespace facepipe::video
