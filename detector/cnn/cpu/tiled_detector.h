// This detector is for pictures that are too large for one run of the network. It looks at one tile
// after the other, then at the whole picture reduced, with detectors for pictures of these sizes.
#pragma once

#include <memory>

#include "detector/detector.h"
#include "detector/tiling.h"

namespace facepipe::detector {

/// Makes a detector that takes one frame at a time. `tile` finds candidates in frames of
/// tiling.tile.frame, and needs two requests: a tile is prepared while the network looks at the one
/// before. `whole` finds candidates in the whole picture, and reduces it itself. Nobody else may
/// use either.
[[nodiscard]] std::shared_ptr<Detector> make_tiled_detector(const Tiling& tiling,
                                                            std::shared_ptr<Detector> tile,
                                                            std::shared_ptr<Detector> whole);

}  // namespace facepipe::detector
