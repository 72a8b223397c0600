// Implements a detector for pictures that are too large for one run of the network. It detects
// faces in one tile after the other, and then in the whole picture, reduced (detector/tiling.h).
// All work is in one stream.
#pragma once

#include <memory>

#include "core/cuda/frame_descriptor.h"
#include "detector/cuda_detector.h"
#include "detector/tiling.h"

namespace facepipe::detector {

/// Makes a detector for pictures of `layout`. `tile` finds candidates in frames of size
/// tiling.tile.frame, with the picture's format and orientation. All tiles use one detection of
/// `tile`, one after the other. `whole` finds candidates in the whole picture, and reduces it
/// itself. Both detectors must have the same capacity. Candidates are in the order of the CPU's
/// tiled detector: tile by tile, then the candidates of the reduced picture.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_tiled_detector(
    const Tiling& tiling, const StreamLayout& layout, std::shared_ptr<const CudaDetector> tile,
    std::shared_ptr<const CudaDetector> whole);

}  // namespace facepipe::detector
