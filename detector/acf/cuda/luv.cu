#include <cstddef>

#include "core/cuda/buffer.h"
#include "core/cuda/check.h"
#include "core/cuda/launch.h"
#include "core/cuda/programmatic.cuh"
#include "core/turning.h"
#include "detector/acf/channels.h"
#include "detector/acf/cuda/kernels.h"

namespace facepipe::detector::acf {
namespace {

constexpr int kThreads = 256;

unsigned blocks_for(std::int64_t work) {
  return static_cast<unsigned>((work + kThreads - 1) / kThreads);
}

// --- Colours -------------------------------------------------------------------------------------

/// Returns a sample, reduced to 8 bits if it has more.
__device__ float byte_at(const AcfPlan& plan, const std::byte* row, int index) {
  if (plan.picture.wide == 0)
    return static_cast<float>(reinterpret_cast<const std::uint8_t*>(row)[index]);
  const float word = static_cast<float>(reinterpret_cast<const std::uint16_t*>(row)[index]);
  return fminf(rintf(__fmul_rn(word, plan.picture.to_byte)), 255.0F);
}

struct Chroma {
  float u;
  float v;
};

__device__ Chroma chroma_at(const AcfPlan& plan, const FrameDescriptor& frame, PixelPlace at) {
  const std::byte* const row =
      frame.chroma + static_cast<long long>(at.y / 2) * frame.chroma_stride;
  return {byte_at(plan, row, at.x / 2 * 2), byte_at(plan, row, at.x / 2 * 2 + 1)};
}

__device__ Luv luv_at(const AcfPlan& plan, const FrameDescriptor& frame, PixelPlace at,
                      const Chroma& chroma) {
  const float luma =
      byte_at(plan, frame.luma + static_cast<long long>(at.y) * frame.luma_stride, at.x);
  return luv_of(color_of(luma, chroma.u, chroma.v, frame.byte_to_rgb[0]),
                color_of(luma, chroma.u, chroma.v, frame.byte_to_rgb[1]),
                color_of(luma, chroma.u, chroma.v, frame.byte_to_rgb[2]), plan.picture.lightness);
}

/// Holds four pixels (2 x 2), and computes the pixel of the half picture that is their mean.
struct Quad {
  Luv pixels[2][2];

  [[nodiscard]] __device__ float half(float Luv::*color) const {
    const auto of_column = [&](int x) {
      return add(mul(kHalf, pixels[0][x].*color), mul(kHalf, pixels[1][x].*color));
    };
    return add(mul(kHalf, of_column(0)), mul(kHalf, of_column(1)));
  }
};

__device__ void clear_counts(const AcfBuffers& buffers) {
  if (blockIdx.x != 0 || blockIdx.y != 0) return;
  for (unsigned i = threadIdx.x; i < buffers.counts; i += kThreads) buffers.found_count[i] = 0;
}

/// The number of blocks that a multiprocessor runs at the same time: with kThreads threads each, as
/// many as it has room for (CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability": 1024, 1536 or 2048 threads). ptxas refuses a larger number.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
constexpr int kBlocks = 4;
#elif defined(__CUDA_ARCH__) && \
    (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)
constexpr int kBlocks = 6;
#else
constexpr int kBlocks = 8;
#endif

/// Makes the LUV of the picture. Each thread makes four pixels. If the half picture has exactly
/// half the picture's width and height, `halves` is true, and this kernel makes it, too.
__global__ void __launch_bounds__(kThreads, kBlocks)
    luv_kernel(const FrameDescriptor* descriptor, const __grid_constant__ AcfPlan plan,
               const __grid_constant__ AcfBuffers buffers, bool halves) {
  clear_counts(buffers);
  const int x = 2 * static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int y = 2 * static_cast<int>(blockIdx.y);
  const Size picture = plan.picture.upright;
  if (x >= picture.width) return;
  const std::int64_t plane = std::int64_t{picture.width} * picture.height;
  constexpr float Luv::*kOf[kColors] = {&Luv::l, &Luv::u, &Luv::v};
  const FrameDescriptor& frame = *descriptor;
  const bool upright = plan.picture.orientation.upright();
  const bool even = picture.width % 2 == 0;  // then a thread stores two pixels at once
  Chroma chroma =
      chroma_at(plan, frame, before_turning({x, y}, plan.picture.stored, plan.picture.orientation));
  Quad quad;
#pragma unroll
  for (int row = 0; row < 2; ++row)
#pragma unroll
    for (int column = 0; column < 2; ++column) {
      if (x + column >= picture.width || y + row >= picture.height) continue;
      PixelPlace at{x + column, y + row};
      if (!upright) {
        at = before_turning(at, plan.picture.stored, plan.picture.orientation);
        chroma = chroma_at(plan, frame, at);
      }
      const Luv color = luv_at(plan, frame, at, chroma);
      quad.pixels[row][column] = color;
      if (even) continue;
#pragma unroll
      for (int c = 0; c < kColors; ++c)
        buffers.luv[c * plane + std::int64_t{y + row} * picture.width + x + column] = color.*kOf[c];
    }
  if (even)
#pragma unroll
    for (int row = 0; row < 2; ++row)
      if (y + row < picture.height)
#pragma unroll
        for (int c = 0; c < kColors; ++c)
          *reinterpret_cast<float2*>(buffers.luv + c * plane +
                                     std::int64_t{y + row} * picture.width + x) =
              make_float2(quad.pixels[row][0].*kOf[c], quad.pixels[row][1].*kOf[c]);
  if (!halves) return;
#pragma unroll
  for (int c = 0; c < kColors; ++c)
    buffers.half[c * (plane / 4) + std::int64_t{y / 2} * (picture.width / 2) + x / 2] =
        quad.half(kOf[c]);
}

// --- Resampling ----------------------------------------------------------------------------------

/// Adds a product to the sum of each colour. The first product replaces the sum.
__device__ void add_products(float (&sums)[kColors], float weight, const float (&values)[kColors],
                             bool first) {
#pragma unroll
  for (int c = 0; c < kColors; ++c) {
    const float product = mul(weight, values[c]);
    sums[c] = first ? product : add(sums[c], product);
  }
}

/// Holds some taps of one sample. Taps beyond the last tap repeat the last tap; callers must not
/// add them.
template <int kTaps>
struct SomeTaps {
  int index[kTaps];
  float weight[kTaps];

  __device__ SomeTaps(const AcfPlan& plan, const DeviceTaps& taps, int first, int sample) {
#pragma unroll
    for (int i = 0; i < kTaps; ++i) {
      const int at = taps.first + min(first + i, taps.count - 1) * taps.length + sample;
      index[i] = plan.taps.index[at];
      weight[i] = plan.taps.weight[at];
    }
  }
};

/// Computes a sample of each colour: first vertically, then horizontally, as on all devices. Each
/// thread makes one sample of row y, with kTaps x kTaps loads in flight.
template <int kTaps>
__device__ void resize_row(const AcfPlan& plan, const LuvPicture& from, const LuvPicture& to,
                           const DeviceTaps& across, const DeviceTaps& down, int y) {
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (x >= to.size.width) return;
  const std::int64_t plane = std::int64_t{from.size.width} * from.size.height;
  float sums[kColors] = {};
  for (int i = 0; i < across.count; i += kTaps) {
    const SomeTaps<kTaps> columns(plan, across, i, x);
    float of_columns[kTaps][kColors] = {};
    for (int k = 0; k < down.count; k += kTaps) {
      const SomeTaps<kTaps> rows(plan, down, k, y);
      float values[kTaps][kTaps][kColors];
#pragma unroll
      for (int row = 0; row < kTaps; ++row)
#pragma unroll
        for (int column = 0; column < kTaps; ++column)
#pragma unroll
          for (int c = 0; c < kColors; ++c)
            values[row][column][c] =
                from.planes[c * plane + rows.index[row] * from.size.width + columns.index[column]];
#pragma unroll
      for (int row = 0; row < kTaps; ++row)
        if (k + row < down.count)
#pragma unroll
          for (int column = 0; column < kTaps; ++column)
            add_products(of_columns[column], rows.weight[row], values[row][column], k + row == 0);
    }
#pragma unroll
    for (int column = 0; column < kTaps; ++column)
      if (i + column < across.count)
        add_products(sums, columns.weight[column], of_columns[column], i + column == 0);
  }
  const std::int64_t to_plane = std::int64_t{to.size.width} * to.size.height;
  float* const at = to.planes + std::int64_t{y} * to.size.width + x;
#pragma unroll
  for (int c = 0; c < kColors; ++c) at[c * to_plane] = sums[c];
}

/// Number of taps for a picture that is half as large, except for rounding.
constexpr int kHalfTaps = 3;
/// Number of taps for a picture of a quarter of the size. A sample is a sum of up to four samples
/// and a part of a fifth.
constexpr int kResizedTaps = 5;

__global__ void __launch_bounds__(kThreads)
    half_kernel(const __grid_constant__ AcfPlan plan, const __grid_constant__ AcfBuffers buffers) {
  cuda::wait_for_previous_kernel();
  resize_row<kHalfTaps>(plan, {buffers.luv, plan.picture.upright},
                        {buffers.half, plan.picture.half}, plan.picture.half_across,
                        plan.picture.half_down, static_cast<int>(blockIdx.y));
}

/// Resizes the source for those real scales whose tiles don't resample it themselves. Works row by
/// row.
__global__ void __launch_bounds__(kThreads)
    resize_kernel(const __grid_constant__ AcfPlan plan,
                  const __grid_constant__ AcfBuffers buffers) {
  const Part row = plan.pyramid.resized_rows[blockIdx.y];
  const DeviceReal& real = plan.pyramid.real[row.scale];
  cuda::wait_for_previous_kernel();
  resize_row<kResizedTaps>(plan, source_of(plan, buffers, real),
                           {buffers.resized + real.resized, pixels_of(real.cells)}, real.across,
                           real.down, row.row);
}

}  // namespace

void launch_luv(const FrameDescriptor* frame, const AcfPlan& plan, const AcfBuffers& buffers,
                cuda::StreamView stream) {
  if (plan.pyramid.real_tiles == 0) {
    cuda::fill(cuda::DeviceSpan<std::uint32_t>{buffers.found_count, buffers.counts}, 0, stream);
    return;
  }
  const bool halves =
      Size{2 * plan.picture.half.width, 2 * plan.picture.half.height} == plan.picture.upright;
  const dim3 quads(blocks_for((plan.picture.upright.width + 1) / 2),
                   static_cast<unsigned>((plan.picture.upright.height + 1) / 2));
  luv_kernel<<<quads, kThreads, 0, stream.get()>>>(frame, plan, buffers, halves);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
  cuda::LaunchShape shape{.grid = {}, .block = kThreads, .overlap = plan.overlap};
  if (plan.picture.half.width > 0 && !halves) {
    shape.grid = {blocks_for(plan.picture.half.width),
                  static_cast<unsigned>(plan.picture.half.height)};
    cuda::launch(half_kernel, shape, stream, plan, buffers);
  }
  if (plan.pyramid.resized_row_count > 0) {
    shape.grid = {blocks_for(plan.pyramid.resized_width),
                  static_cast<unsigned>(plan.pyramid.resized_row_count)};
    cuda::launch(resize_kernel, shape, stream, plan, buffers);
  }
}

}  // namespace facepipe::detector::acf
