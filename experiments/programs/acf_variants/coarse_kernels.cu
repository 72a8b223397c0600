#include "core/cuda/check.h"
#include "detector/acf/channels.h"
#include "experiments/programs/acf_variants/coarse.h"
#include "experiments/programs/acf_variants/coarse_scan.h"
#include "experiments/programs/acf_variants/steps.cuh"

namespace facepipe::acf_variants {
namespace {

/// Each thread makes a coarse cell. The grid's y is the scale, and its z is the channel.
__global__ void __launch_bounds__(kWindowThreads)
    coarse_cells_kernel(const __grid_constant__ CoarseArguments arguments) {
  const detector::acf::PyramidPlan& pyramid = arguments.fine.plan.pyramid;
  const detector::acf::DeviceScale& of = arguments.scales[blockIdx.y];
  const Size size = of.scale.padded;
  const auto number = static_cast<int>(blockIdx.x * kWindowThreads + threadIdx.x);
  if (number >= size.width * size.height) return;
  const std::int64_t row = number / size.width;
  const std::int64_t column = number % size.width;
  const std::int64_t first = blockIdx.z * pyramid.plane + of.first_cell;
  arguments.cells[first + row * pyramid.stride + column] = coarse_cell(
      arguments.fine.buffers.cells + first + 2 * row * pyramid.stride + 2 * column, pyramid.stride);
}

/// Each thread evaluates the coarse trees for one coarse window.
__global__ void __launch_bounds__(kWindowThreads)
    coarse_windows_kernel(const __grid_constant__ CoarseArguments arguments) {
  const std::uint32_t place = place_of_thread();
  if (place >= arguments.windows) return;
  const detector::acf::PyramidPlan& pyramid = arguments.fine.plan.pyramid;
  const WindowPlace window = window_of(arguments.scales, pyramid.scale_count, place);
  std::int32_t sum = 0;
  if (!walk(arguments.trees, 0, arguments.tree_count, arguments.threshold,
            arguments.cells + arguments.scales[window.scale].first_cell +
                std::int64_t{window.at.y} * pyramid.stride + window.at.x,
            sum))
    return;
  const detector::acf::DeviceScale& fine = pyramid.scales[window.scale];
  const Size places = fine.scale.places;
  for (int row = 2 * window.at.y; row < min(2 * window.at.y + 2, places.height); ++row)
    for (int column = 2 * window.at.x; column < min(2 * window.at.x + 2, places.width); ++column)
      add_alive(arguments.fine.alive,
                fine.first_place + static_cast<std::uint32_t>(row * places.width + column), 0);
}

}  // namespace

void launch_coarse_cells(const CoarseArguments& arguments, Size largest, cuda::StreamView stream) {
  const auto most = static_cast<std::uint32_t>(largest.width * largest.height);
  const auto scales = static_cast<unsigned>(arguments.fine.plan.pyramid.scale_count);
  if (most == 0) return;  // an empty grid isn't allowed
  coarse_cells_kernel<<<dim3(blocks_for(most), scales, detector::acf::kChannels), kWindowThreads, 0,
                        stream.get()>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_coarse_windows(const CoarseArguments& arguments, cuda::StreamView stream) {
  if (arguments.windows == 0) return;
  coarse_windows_kernel<<<blocks_for(arguments.windows), kWindowThreads, 0, stream.get()>>>(
      arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::acf_variants
