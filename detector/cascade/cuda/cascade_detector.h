// The detector that is a cascade, on a CUDA device: the windows and scores of the CPU's, bit for
// bit.
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
  std::uint32_t capacity = 1;    ///< candidates that are kept of a frame, >= 1
  bool every_window = false;     ///< as DetectorOptions::every_window
};

/// For frames of `layout`, on the current device. Scores of up to kMostWindows windows are exact;
/// of a frame with more, its count of candidates exceeds the capacity. Errors: device, for a layout
/// other than NV12 or P016, for a window whose tiles the device's shared memory can't hold, and
/// where CUDA fails.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_cascade_detector(
    const Cascade& cascade, const StreamLayout& layout, const CudaCascadeOptions& options);

}  // namespace facepipe::detector::cascade
