// FFmpeg's encoders on the CPU for pictures in device memory.
#pragma once

#include <memory>

#include "core/cuda/copies.h"
#include "video/encoder.h"

namespace facepipe {

/// Each picture goes to pinned memory by one asynchronous copy while the one before it is encoded.
/// `first` is in device memory, as are all. CUDA's current device must be the frames'.
/// Errors: as make_cpu_encoder(); Error(device).
[[nodiscard]] std::unique_ptr<Encoder> make_downloading_encoder(const EncoderSetup& setup,
                                                                const Frame& first,
                                                                Notices& notices,
                                                                CopyCounter& copies);

/// Frames that the encoder keeps in device memory beyond the one that it was given.
inline constexpr int kDownloading = 1;

}  // namespace facepipe
