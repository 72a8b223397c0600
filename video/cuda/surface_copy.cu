#include <cmath>

#include "core/cuda/check.h"
#include "core/error.h"
#include "video/cuda/pictures.h"
#include "video/cuda/sample_stretch.cuh"
#include "video/cuda/surface_copy.h"

namespace facepipe {
namespace {

constexpr unsigned kColumns = 64;
constexpr unsigned kRows = 4;

/// One plane, chroma's pairs taken as two samples.
struct PlaneWork {
  Plane from;
  Plane to;
  int width;
  int height;
  int shift;
  Stretch stretch;
};

__global__ void __launch_bounds__(kColumns* kRows)
    narrow_kernel(const __grid_constant__ PlaneWork work) {
  const int x = static_cast<int>(blockIdx.x * kColumns + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kRows + threadIdx.y);
  if (x >= work.width || y >= work.height) return;
  const auto* const from =
      reinterpret_cast<const std::uint16_t*>(work.from.data + y * work.from.stride);
  auto* const to = reinterpret_cast<std::uint8_t*>(work.to.data + y * work.to.stride);
  to[x] = stretched(from[x], work.shift, work.stretch);
}

void launch_narrow(const PlaneWork& work, cudaStream_t stream) {
  const dim3 block(kColumns, kRows);
  const dim3 grid((static_cast<unsigned>(work.width) + kColumns - 1) / kColumns,
                  (static_cast<unsigned>(work.height) + kRows - 1) / kRows);
  narrow_kernel<<<grid, block, 0, stream>>>(work);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

Stretch narrowing(const PixelFormat& format, bool full_range, bool chroma) {
  if (!full_range) return {static_cast<float>(std::exp2(8 - format.bits)), 0};
  return chroma ? chroma_stretch(format, true) : luma_stretch(format, true);
}

void copy_plane(const PlaneWork& work, int bytes_per_sample, cudaStream_t stream) {
  FACEPIPE_CUDA_CHECK(cudaMemcpy2DAsync(
      work.to.data, static_cast<std::size_t>(work.to.stride), work.from.data,
      static_cast<std::size_t>(work.from.stride),
      static_cast<std::size_t>(work.width) * static_cast<std::size_t>(bytes_per_sample),
      static_cast<std::size_t>(work.height), cudaMemcpyDeviceToDevice, stream));
}

}  // namespace

void enqueue_surface_copy(const Frame& frame, const Surface& to, cuda::StreamView stream,
                          CopyCounter& copies) {
  const PixelFormat& format = frame.format;
  expect_device_picture(frame);
  if (to.bytes_per_sample > format.bytes_per_sample())
    throw Error(ErrorKind::internal, "a picture of 8 bits for a surface of more");
  const bool narrow = to.bytes_per_sample < format.bytes_per_sample();
  const Size chroma = frame.chroma_size();
  for (const bool of_chroma : {false, true}) {
    const PlaneWork work{frame.planes[of_chroma ? 1 : 0],
                         of_chroma ? to.chroma : to.luma,
                         of_chroma ? 2 * chroma.width : frame.size.width,
                         of_chroma ? chroma.height : frame.size.height,
                         format.shift,
                         narrowing(format, frame.color.full_range, of_chroma)};
    if (narrow)
      launch_narrow(work, stream.get());
    else
      copy_plane(work, to.bytes_per_sample, stream.get());
    copies.add(CopyKind::surface, static_cast<std::size_t>(work.width) *
                                      static_cast<std::size_t>(work.height) *
                                      static_cast<std::size_t>(to.bytes_per_sample));
  }
}

}  // namespace facepipe
