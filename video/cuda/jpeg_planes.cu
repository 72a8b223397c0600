#include "core/cuda/check.h"
#include "video/cuda/jpeg_planes.h"
#include "video/cuda/pictures.h"
#include "video/cuda/sample_stretch.cuh"

namespace facepipe {
namespace {

constexpr unsigned kColumns = 32;
constexpr unsigned kRows = 8;

struct PlanesWork {
  const std::byte* luma;
  const std::byte* chroma;
  std::ptrdiff_t luma_stride;
  std::ptrdiff_t chroma_stride;
  int width;
  int height;
  int shift;
  Stretch of_luma;
  Stretch of_chroma;
  JpegPlanes to;
};

// A thread a chroma cell: up to four luma samples, one pair of chroma.
template <class Sample>
__global__ void __launch_bounds__(kColumns* kRows)
    planes_kernel(const __grid_constant__ PlanesWork work) {
  const int cell_x = static_cast<int>(blockIdx.x * kColumns + threadIdx.x);
  const int cell_y = static_cast<int>(blockIdx.y * kRows + threadIdx.y);
  if (2 * cell_x >= work.width || 2 * cell_y >= work.height) return;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int x = 2 * cell_x + i % 2;
    const int y = 2 * cell_y + i / 2;
    if (x >= work.width || y >= work.height) continue;
    const auto* const row = reinterpret_cast<const Sample*>(work.luma + y * work.luma_stride);
    work.to.planes[0][static_cast<std::ptrdiff_t>(y) * work.to.strides[0] + x] =
        stretched(row[x], work.shift, work.of_luma);
  }
  const auto* const pair =
      reinterpret_cast<const Sample*>(work.chroma + cell_y * work.chroma_stride) + 2 * cell_x;
#pragma unroll
  for (int component = 0; component < 2; ++component)
    work.to.planes[1 + component]
                  [static_cast<std::ptrdiff_t>(cell_y) * work.to.strides[1 + component] + cell_x] =
        stretched(pair[component], work.shift, work.of_chroma);
}

void launch_planes(const PlanesWork& work, bool wide, cudaStream_t stream) {
  const dim3 block(kColumns, kRows);
  const auto cells = [](int pixels, unsigned each) {
    return (static_cast<unsigned>(pixels + 1) / 2 + each - 1) / each;
  };
  const dim3 grid(cells(work.width, kColumns), cells(work.height, kRows));
  if (wide)
    planes_kernel<std::uint16_t><<<grid, block, 0, stream>>>(work);
  else
    planes_kernel<std::uint8_t><<<grid, block, 0, stream>>>(work);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void enqueue_jpeg_planes(const Frame& frame, const JpegPlanes& planes, cuda::StreamView stream) {
  expect_device_picture(frame);
  const PixelFormat& format = frame.format;
  const bool full_range = frame.color.full_range;
  launch_planes({frame.planes[0].data, frame.planes[1].data, frame.planes[0].stride,
                 frame.planes[1].stride, frame.size.width, frame.size.height, format.shift,
                 luma_stretch(format, full_range), chroma_stretch(format, full_range), planes},
                format.bytes_per_sample() == 2, stream.get());
}

}  // namespace facepipe
