// R-CNN's bitmask suppression as it is printed in nms_kernel.cu (Ren 2015, in the version of
// github.com/jwyang/faster-rcnn.pytorch, MIT License), written anew.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "experiments/programs/nms_papers/bitmask_kernel.h"

namespace facepipe::nms_papers {

/// The output of printed_bitmask_nms() in device memory: an array with as many elements as there
/// are boxes, and a count.
struct PrintedBitmaskKept {
  std::int32_t* indices;
  std::int32_t* count;
};

/// Does one call as printed: allocates and frees both arrays on the device, copies on the default
/// stream, and reduces on the host in new vectors. `ranked` must be sorted by score. The kept
/// indices are indices in `ranked`.
void printed_bitmask_nms(const PrintedBitmaskKept& kept, std::span<const RankedBox> ranked,
                         float threshold);

/// Only allocates and frees the device's arrays of such a call.
void allocate_for_printed_bitmask(std::size_t count);

/// Launches only the kernel. Sides are x2 - x1 + 1, the IoU is computed with a division, and all
/// tiles are compared.
void launch_printed_bitmask(const BitmaskArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::nms_papers
