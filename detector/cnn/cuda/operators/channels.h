// Declares the kernels that move channels: they join maps, and shuffle the channels of a map.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>

namespace facepipe::detector::engine {

/// Copies channels of one map into another map of the same width and height.
struct ChannelCopyArguments {
  const __half* from;  ///< first channel of the first pixel
  __half* to;          ///< first channel to be written, in the first pixel
  int from_pitch;      ///< number of halves from one pixel to the next
  int to_pitch;
  int channels;
  /// Number of groups of consecutive channels that are shuffled. `to` gets the first channel of
  /// each group, then the second channel of each group, and so on. 1 keeps the order.
  int groups;
  int zeros;  ///< number of channels behind the copied channels that are set to 0
  std::size_t pixels;
};

/// A thread copies eight channels if positions and numbers of channels are multiples of 8, nothing
/// is shuffled and `zeros` is 0. Otherwise a thread copies one channel.
void launch_channel_copy(const ChannelCopyArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::detector::engine
