// Implements a detector that looks at each picture several times: at several sizes, mirrored,
// turned, or with several models. So it finds objects that a single look misses.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "detector/cuda_detector.h"
#include "detector/looks.h"

namespace facepipe::detector {

/// Describes one look at a picture.
struct CudaLook {
  std::shared_ptr<const CudaDetector> detector;
  /// True if the detector is for the layout with a mirrored orientation (detector/mirror.h).
  bool mirrored = false;
  /// This number is added to the classes of what the detector finds. 0 for mirrored and turned
  /// looks.
  std::uint16_t first_class = 0;
  /// The detector is for the layout whose upright picture is turned clockwise by this number of
  /// quarter turns (0..kTurns; detector/turned_faces.h). Not 0 and `mirrored` together.
  int quarter_turns = 0;
  /// The look is only at frames of this phase (0..kTurns - 1) of kTurns phases. nullopt: it is at
  /// each frame. No two looks have the same phase.
  std::optional<int> phase{};
};

/// Makes a detector for pictures of size `upright`. All looks must have the same capacity, which is
/// also the capacity of the returned detector. Either all looks or none must find landmarks, and
/// the same holds for classes. Candidates are ordered by look, and are in pixels of the picture
/// itself (append_mirrored(), append_turned_back()). Turned looks give no landmarks. The returned
/// detector has kTurns phases if a look has a phase, or if the detector of a look has kTurns
/// phases. If there is only one look, returns its detector. Throws Error(internal) if the first
/// look isn't at the picture itself, in each frame.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_looks_detector(
    std::vector<CudaLook> looks, Size upright);

/// Makes a detector that searches each picture with several models, at least one. `models` holds
/// one look for each model, and none is mirrored. Candidates are ordered by model, as those of
/// make_looks_detector() are. If only some models find landmarks, the candidates of the others have
/// kNoLandmarks. The returned detector has room for all that the models have room for. All work is
/// in one stream, so it can be captured in one graph. DetectorFacts are those of the first model.
/// Throws Error(internal) if there is no model, or if a look is mirrored, turned, or of one phase.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_joining_detector(
    std::vector<CudaLook> models);

/// Makes a detector for pictures of a layout. `scale` is a factor of the usual size.
using MakeCudaLook =
    std::function<std::shared_ptr<const CudaDetector>(const StreamLayout& layout, float scale)>;

/// Makes the detectors of all looks at pictures of `layout`, and the detector that joins their
/// candidates.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_looks(const Looks& looks,
                                                                  const StreamLayout& layout,
                                                                  const MakeCudaLook& make);

/// Returns the layout of the same samples, whose upright picture is turned clockwise by
/// `quarter_turns` (0..3).
[[nodiscard]] StreamLayout turned(const StreamLayout& layout, int quarter_turns);

/// Makes a detector that also searches each picture of `layout` turned clockwise by `quarter_turns`
/// (0..3), and gives no landmarks of what it finds there. If this number is 0, returns
/// make(layout). `make` makes the detector for pictures of a layout.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_turned_too(
    int quarter_turns, const StreamLayout& layout,
    const std::function<std::shared_ptr<const CudaDetector>(const StreamLayout&)>& make);

}  // namespace facepipe::detector
