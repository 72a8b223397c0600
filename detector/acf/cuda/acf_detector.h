// Channel features on a CUDA device: the candidates that the CPU finds, bit for bit.
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
  std::uint32_t capacity = 16384;  ///< >= 1: candidates that are kept of a frame
  /// Cells of all scales that are in memory at once, at 40 bytes, but for larger scales. Fewer take
  /// more steps.
  std::int64_t batch_cells = std::int64_t{1} << 21;
  /// Samples that a thread block copies to shared memory; default: what the device has room for. 0:
  /// windows are read where they are, as those are that are too large.
  std::optional<std::size_t> shared_samples = std::nullopt;
};

/// For frames of `layout`. Errors: device, for a layout other than NV12 or P016, for a picture that
/// can't be enlarged so much, for a chip with less shared memory than tiles need (those before
/// compute capability 8.0, 8.6 and 8.9), and where CUDA fails; usage for a capacity of 0.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_acf_detector(
    const Model& model, const StreamLayout& layout, const CudaAcfOptions& options);

/// The channels of a frame's scales that windows look at, for tests: scale by scale, padded cells
/// channel by channel, row by row.
[[nodiscard]] std::vector<std::vector<float>> cuda_channels(const Model& model,
                                                            const StreamLayout& layout,
                                                            const SizeLimits& sizes,
                                                            const FrameDescriptor* frame);

}  // namespace facepipe::detector::acf
