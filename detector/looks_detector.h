// This detector looks at each picture several times, one look after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "detector/detector.h"

namespace facepipe::detector {

/// How a frame is looked at.
struct LookAt {
  std::shared_ptr<Detector> detector;  ///< for frames of the common size; it may reduce them
  bool mirrored = false;               ///< it gets the mirrored picture
  std::uint16_t first_class = 0;       ///< is added to the classes that it finds
};

/// Makes a detector that collects the candidates of all looks, in their order and as they lie in
/// the picture itself. The first look isn't mirrored, and it has the places for frames. The
/// detectors of other looks are the first one's, or only such detectors use them. Returns the first
/// look's own detector if there is no other look.
[[nodiscard]] std::shared_ptr<Detector> make_looks_detector(std::vector<LookAt> looks);

}  // namespace facepipe::detector
