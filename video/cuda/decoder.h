// Packets in, frames in device memory out: NVDEC, or the CPU and a named upload.
#pragma once

#include <cstddef>
#include <memory>

#include "core/cuda/copies.h"
#include "core/device.h"
#include "video/decoder.h"

namespace facepipe {

struct CudaDecoderOptions {
  DecoderOptions stream;
  DecoderChoice choice = DecoderChoice::automatic;
  Device device{DeviceKind::cuda, 0};
  int frames_in_flight = 4;  ///< frames alive at once beside the one that is being decoded
};

/// Decodes through FFmpeg into NV12 (8 bits), P010 (10) or P016 (more) on options.device. Frames
/// carry Frame::ready. With NVDEC they are its own surfaces, of which there are frames_in_flight +
/// 2 more than decoding needs, 32 in all at most; a surface goes back when its frame dies.
///
/// Whether NVDEC decodes the stream is settled by its first picture: its format, size and the
/// surfaces it needs. From then on nothing falls back: a stream that NVDEC can't go on with ends
/// the run. Pictures that change size or format are made like the first, on the device
/// (DecoderOptions::scale_on_change).
///
/// `choose_target` sees the first picture as it will be on the device (format NV12, P010LE or
/// P016LE, no data); of its answer only `rotate` counts, which NVDEC's pictures can't follow.
///
/// `demuxer`, `notices` and `copies` must outlive it. The calling threads get options.device as
/// CUDA's current device. Errors: as make_cpu_decoder(); Error(device) where the device can't be
/// used or, with DecoderChoice::nvdec, NVDEC can't decode the stream; Error(output) for a rotation
/// of NVDEC's pixels.
[[nodiscard]] std::unique_ptr<Decoder> make_cuda_decoder(const Demuxer& demuxer,
                                                         const CudaDecoderOptions& options,
                                                         TargetChooser choose_target,
                                                         Notices& notices, CopyCounter& copies);

}  // namespace facepipe
