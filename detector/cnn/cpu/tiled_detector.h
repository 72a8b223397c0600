// Implements a detector for pictures that are too large for one run of the network. It detects
// faces in one tile after the other, and then in the whole picture, reduced. For this it uses
// detectors for pictures of these sizes.
#pragma once

#include <memory>

#include "detector/detector.h"
#include "detector/tiling.h"

namespace facepipe::detector {

/// Makes a detector that handles one frame at a time. `tile` finds candidates in frames of size
/// tiling.tile.frame. `tile` needs two requests, because a tile is prepared while the network runs
/// on the previous tile. `whole` finds candidates in the whole picture, and reduces it itself. No
/// other code may use these two detectors.
[[nodiscard]] std::shared_ptr<Detector> make_tiled_detector(const Tiling& tiling,
                                                            std::shared_ptr<Detector> tile,
                                                            std::shared_ptr<Detector> whole);

}  // namespace facepipe::detector
