// These kernels move channels: they join maps, and shuffle the channels of a map.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>

namespace facepipe::detector::engine {

/// Copies channels of one map into another map of the same width and height.
struct ChannelCopyArguments {
  const __half* from;  ///< first channel of the first pixel
  __half* to;          ///< where that goes
  int from_pitch;      ///< halves from one pixel to the next
  int to_pitch;
  int channels;
  /// Groups of consecutive channels that are shuffled: `to` begins with the first channel of each
  /// group. 1 keeps the order.
  int groups;
  int zeros;  ///< channels behind these that are set to 0
  std::size_t pixels;
};

/// A thread copies eight channels, if positions and numbers of channels are multiples of 8 and
/// nothing is shuffled; else it copies one.
void launch_channel_copy(const ChannelCopyArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::detector::engine
