// This detector finds channel features on a CUDA device. Its candidates are those of the CPU, bit
// for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/cuda/frame_descriptor.h"
#include "detector/acf/model/acf.h"
#include "detector/acf/pyramid.h"
#include "detector/cuda_detector.h"

namespace facepipe::detector::acf {

struct CudaAcfOptions {
  SizeLimits sizes = {};
  float score_threshold = 0.5F;    ///< candidates need score > this
  std::uint32_t capacity = 16384;  ///< >= 1: most candidates that are kept of a frame
  /// Cells of all scales that are in memory at once. A cell takes 40 bytes. A single scale may have
  /// more cells. Fewer cells at once take more steps.
  std::int64_t batch_cells = std::int64_t{1} << 21;
  /// Samples that a thread block may copy to shared memory. Default: as many as the device has room
  /// for. If tiles need more, their windows are read from global memory. 0 does this for all tiles.
  std::optional<std::size_t> shared_samples = std::nullopt;
};

/// Makes a detector for frames of `layout`. Errors: device, for a layout other than NV12 or P016,
/// for a picture that can't be enlarged so much, for a chip with less shared memory than tiles need
/// (those before compute capability 8.0, 8.6 and 8.9), and if CUDA fails; usage for a capacity of
/// 0.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_acf_detector(
    const Model& model, const StreamLayout& layout, const CudaAcfOptions& options);

/// Returns the channels that windows look at, for tests. They come scale by scale; a scale's padded
/// cells come channel by channel, row by row.
[[nodiscard]] std::vector<std::vector<float>> cuda_channels(const Model& model,
                                                            const StreamLayout& layout,
                                                            const SizeLimits& sizes,
                                                            const FrameDescriptor* frame);

}  // namespace facepipe::detector::acf
