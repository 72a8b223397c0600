// A detector for pictures too large for one run of the network: tile after tile, then the whole
// picture reduced (detector/cnn/model/tiling.h), one after the other in one stream.
#pragma once

#include <memory>

#include "core/cuda/frame_descriptor.h"
#include "detector/cnn/model/tiling.h"
#include "detector/cuda_detector.h"

namespace facepipe::detector {

/// For pictures of `layout`. `tile` finds candidates in frames of tiling.tile.frame that are stored
/// as the picture is; all tiles use one detection of it in turn. `whole` finds them in the whole
/// picture and takes care of the reduction. Both have room for as many candidates.
/// Candidates come in the order of the CPU's tiled detector: tile by tile, then those of the
/// reduced picture.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_tiled_detector(
    const Tiling& tiling, const StreamLayout& layout, std::shared_ptr<const CudaDetector> tile,
    std::shared_ptr<const CudaDetector> whole);

}  // namespace facepipe::detector
