// Defines the arguments of the heads' kernels. A place is one pixel of an output map, and has one
// or more cells. A cell holds at most one candidate.
#pragma once

#include <cstdint>

#include "core/cuda/detections.h"
#include "detector/cnn/model/graph/graph.h"
#include "detector/cnn/model/head_data.h"
#include "detector/network_fit.h"

namespace facepipe::detector::engine {

inline constexpr int kHeadTensors = 4;
inline constexpr int kHeadLevels = 5;
inline constexpr int kHeadAnchors = 9;  // largest number of anchors of a place

/// Describes an output of the network, which consists of floats. The cells of a place follow each
/// other.
struct HeadTensor {
  const float* values;
  int pitch;                  ///< number of floats from one place to the next
  int channels;               ///< number of channels of a cell
  graph::Activation pending;  ///< activation that must still be applied to each value
};

/// Holds the outputs of one stride, in the order of Model::outputs().
struct Level {
  HeadTensor tensors[kHeadTensors];
  std::uint32_t first;    ///< number of cells of all levels before this one
  std::uint32_t columns;  ///< number of places in a row
  float stride;
  AnchorSize anchors[kHeadAnchors];  ///< anchors of a place; 0 if the kind of head has no anchors
};

/// Holds the arguments of all heads. The scales map the network's pixels to the frame's.
struct HeadArguments {
  Level levels[kHeadLevels];
  int level_count;
  std::uint32_t anchors;  ///< number of cells of a place
  HeadNumbers numbers;
  bool landmarks;  ///< whether candidates have landmarks
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

}  // namespace facepipe::detector::engine
