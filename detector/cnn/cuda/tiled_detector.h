// This detector is for pictures that are too large for one run of the network. It looks at one tile
// after the other, then at the whole picture reduced (detector/tiling.h), all in one
// stream.
#pragma once

#include <memory>

#include "core/cuda/frame_descriptor.h"
#include "detector/cuda_detector.h"
#include "detector/tiling.h"

namespace facepipe::detector {

/// Makes a detector for pictures of `layout`. `tile` finds candidates in frames of
/// tiling.tile.frame that are stored as the picture is; all tiles use one detection of it in turn.
/// `whole` finds candidates in the whole picture, and reduces it itself. Both have the same
/// capacity. Candidates come in the order of the CPU's tiled detector: tile by tile, then those of
/// the reduced picture.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_tiled_detector(
    const Tiling& tiling, const StreamLayout& layout, std::shared_ptr<const CudaDetector> tile,
    std::shared_ptr<const CudaDetector> whole);

}  // namespace facepipe::detector
