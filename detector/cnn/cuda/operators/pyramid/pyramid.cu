#include "core/cuda/programmatic.cuh"
#include "core/error.h"
#include "detector/cnn/cuda/operators/pyramid/pyramid.cuh"

namespace facepipe::detector::engine {
namespace {

constexpr int kWarps = 4;
constexpr int kPixels = 16;

/// A warp computes one item: 16 pixels of one sub-pixel. So 32 columns of a row are two items.
template <int kTiles>
__global__ void __launch_bounds__(32 * kWarps)
    pyramid_kernel(const __grid_constant__ PyramidArguments a, __half* output, int pitch) {
  const int item = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  cuda::wait_for_previous_kernel();
  cuda::let_next_kernel_start();
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

using Kernel = void (*)(PyramidArguments, __half*, int);

template <int kTiles = 1>
Kernel kernel_of(int tiles) {
  if (tiles == kTiles) return pyramid_kernel<kTiles>;
  if constexpr (kTiles < kMostPyramidTiles) return kernel_of<kTiles + 1>(tiles);
  throw Error(ErrorKind::internal, "pyramid: there is no kernel for this number of channels");
}

}  // namespace

void launch_pyramid(int tiles, const PyramidArguments& arguments, __half* output, int output_pitch,
                    cuda::Overlap overlap, cuda::StreamView stream) {
  const int row_items = (arguments.width + 2 * kPixels - 1) / (2 * kPixels) * 2;
  const int items = row_items * arguments.height;
  cuda::LaunchShape shape;
  shape.grid = static_cast<unsigned>((items + kWarps - 1) / kWarps);
  shape.block = 32 * kWarps;
  shape.overlap = overlap;
  cuda::launch(kernel_of(tiles), shape, stream, arguments, output, output_pitch);
}

}  // namespace facepipe::detector::engine
