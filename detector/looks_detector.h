// This detector looks at each picture several times, one look after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "detector/detector.h"

namespace facepipe::detector {

/// Describes one look at a frame.
struct LookAt {
  /// for frames of the size that all looks share; the detector may reduce the frames
  std::shared_ptr<Detector> detector;
  bool mirrored = false;          ///< the detector gets the mirrored picture
  std::uint16_t first_class = 0;  ///< is added to the classes of what the detector finds
};

/// Makes a detector that returns the candidates of all looks, in the order of the looks. All boxes
/// are in coordinates of the picture that isn't mirrored. The first look must not be mirrored. The
/// requests of its detector limit how many frames are in work at the same time. Each other look
/// must use the first look's detector, or a detector that nobody else uses. If there is only one
/// look, returns this look's own detector.
[[nodiscard]] std::shared_ptr<Detector> make_looks_detector(std::vector<LookAt> looks);

}  // namespace facepipe::detector
