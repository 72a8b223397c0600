#include "core/cuda/check.h"
#include "experiments/programs/acf_variants/features.h"

namespace facepipe::acf_variants {
namespace {

constexpr unsigned kWide = 32;
constexpr unsigned kHigh = 8;

struct Place {
  int x;
  int y;
  int plane;
};

__device__ Place place_of_thread() {
  return {static_cast<int>(blockIdx.x * kWide + threadIdx.x),
          static_cast<int>(blockIdx.y * kHigh + threadIdx.y), static_cast<int>(blockIdx.z)};
}

__device__ bool is_in(const Place& at, Size size) {
  return at.x < size.width && at.y < size.height;
}

__device__ std::int64_t index_of(const Place& at, Size size) {
  return (std::int64_t{at.plane} * size.height + at.y) * size.width + at.x;
}

__global__ void luv_kernel(Nv12 picture, const float* lightness, FeaturePlanes planes) {
  const Place at = place_of_thread();
  if (!is_in(at, picture.size)) return;
  const detector::acf::Luv color = luv_at(picture, lightness, at.x, at.y);
  planes.luv[index_of({at.x, at.y, 0}, picture.size)] = color.l;
  planes.luv[index_of({at.x, at.y, 1}, picture.size)] = color.u;
  planes.luv[index_of({at.x, at.y, 2}, picture.size)] = color.v;
}

__global__ void smooth_kernel(Size size, FeaturePlanes planes) {
  const Place at = place_of_thread();
  if (is_in(at, size))
    planes.smooth[index_of(at, size)] =
        smoothed_at(plane_of(planes.luv, size, at.plane), at.x, at.y);
}

__global__ void gradient_kernel(Size size, FeaturePlanes planes) {
  const Place at = place_of_thread();
  if (!is_in(at, size)) return;
  const Gradient gradient = gradient_at(planes.smooth, size, at.x, at.y);
  planes.magnitude[index_of(at, size)] = gradient.magnitude;
  planes.orientation[index_of(at, size)] = gradient.orientation;
}

__global__ void sum_down_kernel(Size size, FeaturePlanes planes) {
  const Place at = place_of_thread();
  if (is_in(at, size))
    planes.sums[index_of(at, size)] = sum_down_at({planes.magnitude, size}, at.x, at.y);
}

/// Writes the normalized magnitude behind the smoothed colours, so that Step::shrink finds four
/// planes.
__global__ void normalize_kernel(Size size, FeaturePlanes planes) {
  const Place at = place_of_thread();
  if (is_in(at, size))
    planes.smooth[index_of({at.x, at.y, detector::acf::kMagnitude}, size)] =
        normalized_at({planes.magnitude, size}, {planes.sums, size}, at.x, at.y);
}

/// Each thread computes the bins of one cell, and writes each bin to its channel.
__global__ void bins_kernel(Size size, Size cells, FeaturePlanes planes) {
  const Place at = place_of_thread();
  if (!is_in(at, cells)) return;
  float bins[detector::acf::kOrientations] = {};
  add_to_bins(plane_of(planes.smooth, size, detector::acf::kMagnitude), {planes.orientation, size},
              at.x, at.y, bins);
  for (int bin = 0; bin < detector::acf::kOrientations; ++bin)
    planes.channels[index_of({at.x, at.y, detector::acf::kMagnitude + 1 + bin}, cells)] =
        detector::acf::mul(bins[bin], detector::acf::kCellShare);
}

__global__ void shrink_kernel(Size size, Size cells, FeaturePlanes planes) {
  const Place at = place_of_thread();
  if (is_in(at, cells))
    planes.channels[index_of(at, cells)] =
        mean_of_cell(plane_of(planes.smooth, size, at.plane), at.x, at.y);
}

constexpr dim3 kBlock{kWide, kHigh};

dim3 grid_for(Size size, int planes = 1) {
  return {(static_cast<unsigned>(size.width) + kWide - 1) / kWide,
          (static_cast<unsigned>(size.height) + kHigh - 1) / kHigh, static_cast<unsigned>(planes)};
}

Size cells_of(Size size) {
  return {size.width / detector::acf::kShrink, size.height / detector::acf::kShrink};
}

}  // namespace

void launch_luv(const Nv12& picture, const float* lightness, const FeaturePlanes& planes,
                cuda::StreamView stream) {
  luv_kernel<<<grid_for(picture.size), kBlock, 0, stream.get()>>>(picture, lightness, planes);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_smooth(Size size, const FeaturePlanes& planes, cuda::StreamView stream) {
  smooth_kernel<<<grid_for(size, detector::acf::kColors), kBlock, 0, stream.get()>>>(size, planes);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_gradient(Size size, const FeaturePlanes& planes, cuda::StreamView stream) {
  gradient_kernel<<<grid_for(size), kBlock, 0, stream.get()>>>(size, planes);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_normalize(Size size, const FeaturePlanes& planes, cuda::StreamView stream) {
  sum_down_kernel<<<grid_for(size), kBlock, 0, stream.get()>>>(size, planes);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
  normalize_kernel<<<grid_for(size), kBlock, 0, stream.get()>>>(size, planes);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_bins(Size size, const FeaturePlanes& planes, cuda::StreamView stream) {
  const Size cells = cells_of(size);
  bins_kernel<<<grid_for(cells), kBlock, 0, stream.get()>>>(size, cells, planes);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_shrink(Size size, const FeaturePlanes& planes, cuda::StreamView stream) {
  const Size cells = cells_of(size);
  shrink_kernel<<<grid_for(cells, detector::acf::kColors + 1), kBlock, 0, stream.get()>>>(
      size, cells, planes);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::acf_variants
