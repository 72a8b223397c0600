// This detector looks at each picture several times: at several sizes, and in a mirror. It then
// finds faces that one look misses.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "detector/cuda_detector.h"
#include "detector/looks.h"

namespace facepipe::detector {

/// How a picture is looked at.
struct CudaLook {
  std::shared_ptr<const CudaDetector> detector;
  /// The detector is for pictures of the layout with mirrored(Orientation) (detector/mirror.h).
  bool mirrored = false;
};

/// Makes a detector for pictures that are `width` pixels wide upright. All looks have the same
/// capacity, which is also the capacity for all together. Either all find landmarks or none does.
/// Candidates come look by look, as they lie in the picture itself (append_mirrored()). Returns the
/// first look's own detector if there is no other look; the first one isn't mirrored.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_looks_detector(
    std::vector<CudaLook> looks, int width);

/// Makes a detector for pictures of a layout, at some share of the usual size.
using MakeCudaLook =
    std::function<std::shared_ptr<const CudaDetector>(const StreamLayout& layout, float scale)>;

/// Makes all looks at pictures of `layout`, and the detector that collects them.
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_looks(const Looks& looks,
                                                                  const StreamLayout& layout,
                                                                  const MakeCudaLook& make);

}  // namespace facepipe::detector
