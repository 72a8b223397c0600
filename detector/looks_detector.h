// This detector looks at each picture several times, one look after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "detector/detector.h"
#include "detector/looks.h"

namespace facepipe::detector {

/// Describes one look at a frame.
struct LookAt {
  /// for frames of the size that all looks share; the detector may reduce the frames
  std::shared_ptr<Detector> detector;
  bool mirrored = false;          ///< the detector gets the mirrored picture
  std::uint16_t first_class = 0;  ///< is added to the classes of what the detector finds
  /// The detector gets the picture turned clockwise by this number of quarter turns (0..kTurns). A
  /// turned look is only at the frames of its turn (Looks::turned).
  int quarter_turns = 0;
};

/// Makes a detector that returns the candidates of all looks, in the order of the looks. All boxes
/// are in coordinates of the picture that is neither mirrored nor turned, and turned looks give no
/// landmarks. The first look must neither be mirrored nor turned, and no look may be both. The
/// requests of its detector limit how many frames are in work at the same time. Each other look
/// must use the first look's detector, or a detector that only these looks use. If there is only
/// one look, returns this look's own detector.
[[nodiscard]] std::shared_ptr<Detector> make_looks_detector(std::vector<LookAt> looks);

}  // namespace facepipe::detector
