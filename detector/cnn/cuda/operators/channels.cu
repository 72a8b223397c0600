#include "detector/cnn/cuda/operators/channels.h"

#include <cstdint>

#include "core/cuda/check.h"
#include "detector/cnn/cuda/operators/flat_launch.cuh"

namespace facepipe::detector::engine {
namespace {

constexpr int kChunk = 8;  // number of halves in 16 bytes

__global__ void __launch_bounds__(kFlatThreads) copy_chunks_kernel(const ChannelCopyArguments a) {
  const auto chunks = static_cast<std::size_t>(a.channels / kChunk);
  const std::size_t pixel = flat_index() / chunks;
  const std::size_t channel = flat_index() % chunks * kChunk;
  if (pixel >= a.pixels) return;
  const auto from_pitch = static_cast<std::size_t>(a.from_pitch);
  const auto to_pitch = static_cast<std::size_t>(a.to_pitch);
  *reinterpret_cast<uint4*>(a.to + pixel * to_pitch + channel) =
      __ldg(reinterpret_cast<const uint4*>(a.from + pixel * from_pitch + channel));
}

__global__ void __launch_bounds__(kFlatThreads) copy_channels_kernel(const ChannelCopyArguments a) {
  const auto written = static_cast<std::size_t>(a.channels + a.zeros);
  const std::size_t pixel = flat_index() / written;
  const int channel = static_cast<int>(flat_index() % written);
  if (pixel >= a.pixels) return;
  const int source = channel % a.groups * (a.channels / a.groups) + channel / a.groups;
  const auto from_pitch = static_cast<std::size_t>(a.from_pitch);
  const auto to_pitch = static_cast<std::size_t>(a.to_pitch);
  const __half zero = __ushort_as_half(0);
  a.to[pixel * to_pitch + static_cast<std::size_t>(channel)] =
      channel < a.channels ? a.from[pixel * from_pitch + static_cast<std::size_t>(source)] : zero;
}

bool is_aligned(const __half* values) {
  return reinterpret_cast<std::uintptr_t>(values) % (kChunk * sizeof(__half)) == 0;
}

}  // namespace

void launch_channel_copy(const ChannelCopyArguments& a, cudaStream_t stream) {
  const bool chunks = a.groups == 1 && a.zeros == 0 && a.channels % kChunk == 0 &&
                      a.from_pitch % kChunk == 0 && a.to_pitch % kChunk == 0 &&
                      is_aligned(a.from) && is_aligned(a.to);
  const auto channels =
      static_cast<std::size_t>(chunks ? a.channels / kChunk : a.channels + a.zeros);
  const unsigned blocks = flat_blocks(a.pixels * channels);
  if (chunks)
    copy_chunks_kernel<<<blocks, kFlatThreads, 0, stream>>>(a);
  else
    copy_channels_kernel<<<blocks, kFlatThreads, 0, stream>>>(a);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::detector::engine
