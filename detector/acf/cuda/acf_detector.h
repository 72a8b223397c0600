// Finds faces by aggregate channel features on a CUDA device. Its candidates are equal to those of
// the CPU, bit for bit.
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
  std::uint32_t capacity = 16384;  ///< largest number of candidates that are kept for a frame, >= 1
  /// Number of cells that are in memory at the same time, over all scales. A cell takes 40 bytes. A
  /// single scale may have more cells than this. A lower number means more steps.
  std::int64_t batch_cells = std::int64_t{1} << 21;
  /// Largest number of samples that a thread block copies to shared memory. By default, this is the
  /// number that fits. If a tile needs more samples, its windows are read from global memory. With
  /// 0, all tiles are read from global memory.
  std::optional<std::size_t> shared_samples = std::nullopt;
};

/// Makes a detector for frames of `layout`. Throws Error(device) in these cases:
/// * the layout is neither NV12 nor P016;
/// * the picture can't be enlarged as much as the limits require;
/// * the device has less shared memory than tiles need (devices of compute capability below 8.0,
///   and 8.6 and 8.9);
/// * CUDA fails.
/// Throws Error(usage) if the capacity is 0.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_acf_detector(
    const Model& model, const StreamLayout& layout, const CudaAcfOptions& options);

/// Returns the padded cells of each scale, for tests. The cells of a scale are ordered by channel,
/// then by row.
[[nodiscard]] std::vector<std::vector<float>> cuda_channels(const Model& model,
                                                            const StreamLayout& layout,
                                                            const SizeLimits& sizes,
                                                            const FrameDescriptor* frame);

}  // namespace facepipe::detector::acf
