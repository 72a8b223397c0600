// Implements a detector that looks at each picture several times: at several sizes, mirrored, or
// with several models. So it finds objects that a single look misses.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "detector/cuda_detector.h"
#include "detector/looks.h"

namespace facepipe::detector {

/// Describes one look at a picture.
struct CudaLook {
  std::shared_ptr<const CudaDetector> detector;
  /// True if the detector is for the layout with a mirrored orientation (detector/mirror.h).
  bool mirrored = false;
  /// This number is added to the classes of what the detector finds. 0 for mirrored looks.
  std::uint16_t first_class = 0;
};

/// Makes a detector for pictures that are `width` pixels wide upright. All looks must have the same
/// capacity, which is also the capacity of the returned detector. Either all looks or none must
/// find landmarks, and the same holds for classes. The first look must not be mirrored. Candidates
/// are ordered by look, and are in pixels of the picture itself (append_mirrored()). If there is
/// only one look, returns its detector.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_looks_detector(
    std::vector<CudaLook> looks, int width);

/// Makes a detector that searches each picture with several models, at least one. `models` holds
/// one look for each model, and none is mirrored. Candidates are ordered by model, as those of
/// make_looks_detector() are. If only some models find landmarks, the candidates of the others have
/// kNoLandmarks. The returned detector has room for all that the models have room for. All work is
/// in one stream, so it can be captured in one graph. DetectorFacts are those of the first model.
/// Throws Error(internal) if there is no model, or if a look is mirrored.
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

}  // namespace facepipe::detector
