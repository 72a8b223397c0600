// What the kernels of a cascade need of it and of the pictures of a stream, made on the host.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cuda/frame_descriptor.h"
#include "detector/cascade/cuda/kernels.h"
#include "detector/cascade/levels.h"
#include "detector/cascade/model/cascade.h"

namespace facepipe::detector::cascade {

/// The arrays of a ScanPlan, and the plan itself, whose pointers are null.
struct ScanTables {
  ScanPlan plan;
  std::vector<std::uint8_t> grey;
  std::vector<DeviceStage> stages;
  std::vector<std::int32_t> roots;
  // By the places' step.
  std::vector<DeviceNode> nodes[2];
  std::vector<WordPair> stumps[2];    ///< of StumpWords; empty where nodes are walked
  std::vector<StumpBlock> blocks[2];  ///< likewise
  std::vector<DeviceLevel> levels;
  std::vector<DeviceTile> tiles;
  std::vector<AxisPixel> axes;
};

/// For frames of `layout`, NV12 or P016. Without levels where the window doesn't fit.
[[nodiscard]] ScanTables make_scan_tables(const Cascade& cascade, const StreamLayout& layout,
                                          const LevelOptions& options);

/// Where a pixel of a level lies in the picture along one axis, by OpenCV's INTER_LINEAR_EXACT:
/// `length` pixels made of `from`.
[[nodiscard]] std::vector<AxisPixel> axis_pixels(int from, int length);

}  // namespace facepipe::detector::cascade
