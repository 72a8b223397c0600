// Implements a detector that looks at each picture several times: at several sizes, and mirrored.
// So it finds faces that a single look misses.
#pragma once

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
};

/// Makes a detector for pictures that are `width` pixels wide upright. All looks must have the same
/// capacity, which is also the capacity of the returned detector. Either all looks or none must
/// find landmarks. The first look must not be mirrored. Candidates are ordered by look, and are in
/// pixels of the picture itself (append_mirrored()). If there is only one look, returns its
/// detector.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_looks_detector(
    std::vector<CudaLook> looks, int width);

/// Makes a detector for pictures of a layout. `scale` is a factor of the usual size.
using MakeCudaLook =
    std::function<std::shared_ptr<const CudaDetector>(const StreamLayout& layout, float scale)>;

/// Makes the detectors of all looks at pictures of `layout`, and the detector that joins their
/// candidates.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_looks(const Looks& looks,
                                                                  const StreamLayout& layout,
                                                                  const MakeCudaLook& make);

}  // namespace facepipe::detector
