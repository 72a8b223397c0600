// Computes, on the host, what the kernels must know about a cascade and about a stream's pictures.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cuda/frame_descriptor.h"
#include "detector/cascade/cuda/kernels.h"
#include "detector/cascade/levels.h"
#include "detector/cascade/model/cascade.h"

namespace facepipe::detector::cascade {

/// Holds a ScanPlan, whose pointers are null, and the arrays to which they will point on the
/// device.
struct ScanTables {
  ScanPlan plan;
  std::vector<std::uint8_t> grey;
  std::vector<DeviceStage> stages;
  std::vector<std::int32_t> roots;
  // These arrays are indexed by the places' step - 1.
  std::vector<DeviceNode> nodes[2];
  std::vector<WordPair> stumps[2];    ///< for StumpWords; empty if kernels use nodes
  std::vector<StumpBlock> blocks[2];  ///< empty if kernels use nodes
  std::vector<DeviceLevel> levels;
  std::vector<DeviceTile> tiles;
  std::vector<AxisPixel> axes;
};

/// Makes the tables for frames of `layout`, which must be NV12 or P016. There are no levels if the
/// window doesn't fit into the picture.
[[nodiscard]] ScanTables make_scan_tables(const Cascade& cascade, const StreamLayout& layout,
                                          const LevelOptions& options);

/// Says from which pixels of the picture the pixels of a level are made, along one axis, as in
/// OpenCV's INTER_LINEAR_EXACT. `length` pixels are made from `from` pixels.
[[nodiscard]] std::vector<AxisPixel> axis_pixels(int from, int length);

}  // namespace facepipe::detector::cascade
