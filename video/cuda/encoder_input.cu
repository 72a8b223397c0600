#include "video/cuda/encoder_input.h"

#include <cmath>

#include "core/cuda/check.h"
#include "core/error.h"
#include "video/cuda/pictures.h"

namespace facepipe::video {
namespace {

// These are the sizes of a block of threads.
constexpr unsigned kCellColumns = 32;
constexpr unsigned kCellRows = 8;
constexpr unsigned kSampleColumns = 64;
constexpr unsigned kSampleRows = 4;

/// Maps a sample of the source to 0..255, before rounding: value * scale + offset.
struct Stretch {
  float scale;
  float offset;
};

/// Returns the mapping of luma to the full range of 8 bits.
Stretch luma_stretch(const PixelFormat& format, bool full_range) {
  const double step = std::exp2(format.bits - 8);
  if (full_range) return {static_cast<float>(255 / (256 * step - 1)), 0};
  const double scale = 255 / (219 * step);
  return {static_cast<float>(scale), static_cast<float>(-16 * step * scale)};
}

/// Returns the mapping of chroma to the full range of 8 bits. It maps the value for no colour, 128
/// * 2^(bits - 8), to 128.
Stretch chroma_stretch(const PixelFormat& format, bool full_range) {
  const double step = std::exp2(format.bits - 8);
  const double scale = 255 / (full_range ? 256 * step - 1 : 224 * step);
  return {static_cast<float>(scale), static_cast<float>(128 - 128 * step * scale)};
}

/// @param shift  position of the sample's lowest bit in its word
template <class Sample>
__device__ std::uint8_t stretched(Sample sample, int shift, const Stretch& stretch) {
  const auto value = static_cast<float>(static_cast<unsigned>(sample) >> shift);
  const float result = fmaf(value, stretch.scale, stretch.offset);
  return static_cast<std::uint8_t>(__float2int_rn(fminf(fmaxf(result, 0.0F), 255.0F)));
}

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

// One thread handles a chroma cell: up to four luma samples and one pair of chroma samples.
template <class Sample>
__global__ void __launch_bounds__(kCellColumns* kCellRows)
    planes_kernel(const __grid_constant__ PlanesWork work) {
  const int cell_x = static_cast<int>(blockIdx.x * kCellColumns + threadIdx.x);
  const int cell_y = static_cast<int>(blockIdx.y * kCellRows + threadIdx.y);
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
  const dim3 block(kCellColumns, kCellRows);
  const auto cells = [](int pixels, unsigned each) {
    return (static_cast<unsigned>(pixels + 1) / 2 + each - 1) / each;
  };
  const dim3 grid(cells(work.width, kCellColumns), cells(work.height, kCellRows));
  if (wide)
    planes_kernel<std::uint16_t><<<grid, block, 0, stream>>>(work);
  else
    planes_kernel<std::uint8_t><<<grid, block, 0, stream>>>(work);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

/// Describes the work on one plane. A pair of chroma samples counts as two samples.
struct PlaneWork {
  Plane from;
  Plane to;
  int width;
  int height;
  int shift;
  Stretch stretch;
};

__global__ void __launch_bounds__(kSampleColumns* kSampleRows)
    narrow_kernel(const __grid_constant__ PlaneWork work) {
  const int x = static_cast<int>(blockIdx.x * kSampleColumns + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kSampleRows + threadIdx.y);
  if (x >= work.width || y >= work.height) return;
  const auto* const from =
      reinterpret_cast<const std::uint16_t*>(work.from.data + y * work.from.stride);
  auto* const to = reinterpret_cast<std::uint8_t*>(work.to.data + y * work.to.stride);
  to[x] = stretched(from[x], work.shift, work.stretch);
}

void launch_narrow(const PlaneWork& work, cudaStream_t stream) {
  const dim3 block(kSampleColumns, kSampleRows);
  const dim3 grid((static_cast<unsigned>(work.width) + kSampleColumns - 1) / kSampleColumns,
                  (static_cast<unsigned>(work.height) + kSampleRows - 1) / kSampleRows);
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

void enqueue_jpeg_planes(const Frame& frame, const JpegPlanes& planes, cuda::StreamView stream) {
  expect_device_picture(frame);
  const PixelFormat& format = frame.format;
  const bool full_range = frame.color.full_range;
  launch_planes({frame.planes[0].data, frame.planes[1].data, frame.planes[0].stride,
                 frame.planes[1].stride, frame.size.width, frame.size.height, format.shift,
                 luma_stretch(format, full_range), chroma_stretch(format, full_range), planes},
                format.bytes_per_sample() == 2, stream.get());
}

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

}  // namespace facepipe::video
