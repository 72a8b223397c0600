// This detector runs a cascade on a CUDA device. Its windows and scores are those of the CPU, bit
// for bit.
#pragma once

#include <cstdint>
#include <memory>

#include "detector/cascade/levels.h"
#include "detector/cascade/model/cascade.h"
#include "detector/cascade/score.h"
#include "detector/cuda_detector.h"

namespace facepipe::detector::cascade {

struct CudaCascadeOptions {
  LevelOptions levels;
  float score_threshold = 0.5F;  ///< candidates need score > this
  std::uint32_t capacity = 1;    ///< >= 1: most candidates that are kept of a frame
  bool every_window = false;     ///< see DetectorOptions::every_window
};

/// Makes a detector for frames of `layout`, on the current device. Scores of up to kMostWindows
/// windows are exact. If a frame has more, its count of candidates exceeds the capacity. Errors:
/// device, for a layout other than NV12 or P016, for a window whose tiles don't fit into the
/// device's shared memory, and if CUDA fails.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_cascade_detector(
    const Cascade& cascade, const StreamLayout& layout, const CudaCascadeOptions& options);

}  // namespace facepipe::detector::cascade
