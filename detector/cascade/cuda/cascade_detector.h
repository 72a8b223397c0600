// Runs a cascade on a CUDA device. Its windows and scores are equal to those of the CPU, bit for
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
  std::uint32_t capacity = 1;    ///< largest number of candidates that are kept for a frame, >= 1
  bool every_window = false;     ///< see DetectorOptions::every_window
};

/// Makes a detector for frames of `layout`, on the current device. Scores are exact for up to
/// kMostWindows windows. If a frame has more, its count of candidates exceeds the capacity. Throws
/// Error(device) if the layout is neither NV12 nor P016, if the tiles of the window don't fit into
/// the device's shared memory, or if CUDA fails.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_cascade_detector(
    const Cascade& cascade, const StreamLayout& layout, const CudaCascadeOptions& options);

}  // namespace facepipe::detector::cascade
