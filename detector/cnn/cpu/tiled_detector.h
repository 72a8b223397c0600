// A detector for pictures too large for one run of the network: tile after tile, then the whole
// picture reduced, by detectors for pictures of these sizes.
#pragma once

#include <memory>

#include "detector/cnn/model/tiling.h"
#include "detector/detector.h"

namespace facepipe::detector {

/// One frame at a time. `tile` finds candidates in frames of tiling.tile.frame, with two requests:
/// a tile is prepared while the one before is looked at. `whole` finds them in the whole picture
/// and takes care of the reduction. Neither is used by anyone else.
[[nodiscard]] std::shared_ptr<Detector> make_tiled_detector(const Tiling& tiling,
                                                            std::shared_ptr<Detector> tile,
                                                            std::shared_ptr<Detector> whole);

}  // namespace facepipe::detector
