#include "experiments/programs/hardware/multiprocessors_used.h"

#include <algorithm>

#include "bench/most_multiprocessors.h"
#include "core/cuda/buffer.h"
#include "core/cuda/check.h"
#include "core/cuda/graph.h"

namespace facepipe::experiments {
namespace {

constexpr unsigned kBlocks = 4 * bench::kMostMultiprocessors;

__global__ void mark_kernel(std::uint8_t* used) {
  std::uint32_t number = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  if (number < bench::kMostMultiprocessors) used[number] = 1;
  __nanosleep(5000);  // lets the other multiprocessors take blocks, too
}

}  // namespace

std::uint32_t multiprocessors_used(cuda::StreamView stream) {
  const cuda::PinnedBuffer<std::uint8_t> used(
      bench::kMostMultiprocessors);  // the device writes to this buffer
  std::fill(used.data(), used.data() + used.size(), std::uint8_t{0});
  const cuda::GraphExec graph(cuda::capture(stream, [&] {
    mark_kernel<<<kBlocks, 1024, 0, stream.get()>>>(used.data());
    FACEPIPE_CUDA_CHECK(cudaGetLastError());
  }));
  graph.launch(stream);
  stream.synchronize();
  return static_cast<std::uint32_t>(std::count(used.data(), used.data() + used.size(), 1));
}

}  // namespace facepipe::experiments
