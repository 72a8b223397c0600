// R-CNN's bitmask suppression as it is printed in nms_kernel.cu (Ren 2015, by way of
// github.com/jwyang/faster-rcnn.pytorch, MIT License), written anew.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "experiments/programs/nms_papers/bitmask_kernel.h"

namespace facepipe::nms_papers {

/// Where printed_bitmask_nms() writes, in device memory: as many elements as there are boxes, and a
/// count.
struct PrintedBitmaskKept {
  std::int32_t* indices;
  std::int32_t* count;
};

/// Does one call as printed. It allocates and frees both of the device's arrays, copies on the
/// default stream, and reduces on the host in vectors of its own. Boxes are ranked by score. The
/// kept indices count the ranked boxes.
void printed_bitmask_nms(const PrintedBitmaskKept& kept, std::span<const RankedBox> ranked,
                         float threshold);

/// Allocates and frees the device's arrays of such a call, and does nothing else.
void allocate_for_printed_bitmask(std::size_t count);

/// Launches the kernel alone. Sides are x2 - x1 + 1, the IoU is divided, and all tiles are
/// compared.
void launch_printed_bitmask(const BitmaskArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::nms_papers
