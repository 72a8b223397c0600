#include "core/cuda/check.h"
#include "core/error.h"
#include "pipeline/cuda/small_luma.h"
#include "track/luma_cells.h"
#include "video/cuda/pictures.h"

namespace facepipe::pipeline {
namespace {

constexpr unsigned kColumns = 32;
constexpr unsigned kRows = 8;

std::size_t samples_of(Size stored) {
  const auto half = [](int side) { return static_cast<std::size_t>(side + 1) / 2; };
  return half(stored.width) * half(stored.height);
}

/// Each thread computes one sample of the upright small luma.
template <typename Sample>
__global__ void small_luma_kernel(const std::byte* plane, std::ptrdiff_t stride,
                                  track::LumaCells cells, Orientation orientation, Size upright,
                                  std::uint8_t* out) {
  const int x = static_cast<int>(blockIdx.x * kColumns + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kRows + threadIdx.y);
  if (x >= upright.width || y >= upright.height) return;
  const PixelPlace cell = before_turning({x, y}, cells.size(), orientation);
  const auto* const upper = reinterpret_cast<const Sample*>(plane + cells.y.first(cell.y) * stride);
  const auto* const lower =
      reinterpret_cast<const Sample*>(plane + cells.y.second(cell.y) * stride);
  const int a = cells.x.first(cell.x);
  const int b = cells.x.second(cell.x);
  const unsigned sum = 0U + upper[a] + upper[b] + lower[a] + lower[b];
  out[static_cast<std::size_t>(y) * upright.width + x] =
      static_cast<std::uint8_t>(track::mean_of_four(sum, cells.drop));
}

}  // namespace

SmallLuma::SmallLuma(Size stored, CopyCounter& copies)
    : stored_(stored), copies_(copies), device_(samples_of(stored)), host_(samples_of(stored)) {}

std::shared_ptr<const track::MotionPicture> SmallLuma::make_picture(const Frame& frame) {
  return std::make_shared<track::CpuMotionPicture>(of(frame));
}

track::Luma SmallLuma::of(const Frame& frame) {
  const cuda::StreamView stream = stream_;
  video::expect_device_picture(frame);
  if (frame.size != stored_)
    throw Error(ErrorKind::internal, "small luma: a picture of another size than was said");
  const track::LumaCells cells(frame.format, frame.size, frame.orientation);
  const Size upright = upright_size(cells.size(), frame.orientation);
  const dim3 blocks((static_cast<unsigned>(upright.width) + kColumns - 1) / kColumns,
                    (static_cast<unsigned>(upright.height) + kRows - 1) / kRows);
  const dim3 threads(kColumns, kRows);
  const Plane& plane = frame.planes[0];
  video::hold_back_until_ready(frame, stream);
  if (frame.format.bytes_per_sample() == 1)
    small_luma_kernel<std::uint8_t><<<blocks, threads, 0, stream.get()>>>(
        plane.data, plane.stride, cells, frame.orientation, upright, device_.data());
  else
    small_luma_kernel<std::uint16_t><<<blocks, threads, 0, stream.get()>>>(
        plane.data, plane.stride, cells, frame.orientation, upright, device_.data());
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
  FACEPIPE_CUDA_CHECK(cudaMemcpyAsync(host_.data(), device_.data(), host_.size(),
                                      cudaMemcpyDeviceToHost, stream.get()));
  copies_.add(CopyKind::luma, host_.size());
  there_.record(stream);
  there_.synchronize();
  return {frame.upright(), upright, {host_.data(), host_.data() + host_.size()}};
}

}  // namespace facepipe::pipeline
