#include <stdexcept>

#include "core/cuda/check.h"
#include "detector/cuda/operators/pyramid.cuh"

namespace facepipe::engine {
namespace {

constexpr int kWarps = 4;
constexpr int kPixels = 16;

/// Warps with items of 16 pixels of one sub-pixel: a row has two sub-pixels for each 32 columns.
template <int kTiles>
__global__ void __launch_bounds__(32 * kWarps)
    pyramid_kernel(const __grid_constant__ PyramidArguments a, __half* output, int pitch) {
  const int item = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row_items = (a.width + 2 * kPixels - 1) / (2 * kPixels) * 2;
  const int y = item / row_items;
  if (y >= a.height) return;
  const int first_column = (item - y * row_items) / 2 * 2 * kPixels + item % 2;
  __half2 results[kTiles][2];
  pyramid_pixels(results, a, first_column, y);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int x = first_column + 2 * (lane / 4 + 8 * half);
    if (x >= a.width) continue;
    __half* const to = output + (static_cast<long long>(y) * a.width + x) * pitch + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < kTiles; ++j) *reinterpret_cast<__half2*>(to + 8 * j) = results[j][half];
  }
}

template <int kTiles>
void launch(int tiles, const PyramidArguments& a, __half* output, int pitch, cudaStream_t stream) {
  if (tiles != kTiles) {
    if constexpr (kTiles < kMostPyramidTiles)
      return launch<kTiles + 1>(tiles, a, output, pitch, stream);
    throw std::invalid_argument("pyramid: channels without a kernel");
  }
  const int items = (a.width + 2 * kPixels - 1) / (2 * kPixels) * 2 * a.height;
  pyramid_kernel<kTiles>
      <<<static_cast<unsigned>((items + kWarps - 1) / kWarps), 32 * kWarps, 0, stream>>>(a, output,
                                                                                         pitch);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void launch_pyramid(int tiles, const PyramidArguments& arguments, __half* output, int output_pitch,
                    cudaStream_t stream) {
  launch<1>(tiles, arguments, output, output_pitch, stream);
}

}  // namespace facepipe::engine
