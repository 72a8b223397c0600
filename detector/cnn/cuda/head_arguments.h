// What kernels of heads are told.
#pragma once

#include <cstdint>

#include "core/cuda/detections.h"
#include "detector/cnn/model/graph/graph.h"
#include "detector/cnn/model/network_fit.h"

namespace facepipe::engine {

inline constexpr int kHeadTensors = 4;
inline constexpr int kHeadLevels = 3;

/// Cells of one output: floats, `pitch` from one cell to the next.
struct Cells {
  const float* values;
  int pitch;
  graph::Activation pending;
};

/// Maps of one stride, in the order of Model::outputs().
struct Level {
  Cells tensors[kHeadTensors];
  std::uint32_t first;  ///< of all levels' cells
  std::uint32_t columns;
  float stride;
};

struct HeadArguments {
  Level levels[kHeadLevels];
  int level_count;
  std::uint32_t cells;
  float threshold;
  float scale_x;
  float scale_y;
  float frame_width;
  float frame_height;
  cuda::DeviceDetections to;
};

inline void set_frame(HeadArguments& a, const NetworkFit& fit) {
  a.scale_x = fit.scale_x();
  a.scale_y = fit.scale_y();
  a.frame_width = static_cast<float>(fit.frame.width);
  a.frame_height = static_cast<float>(fit.frame.height);
}

}  // namespace facepipe::engine
