#include "core/cuda/check.h"
#include "core/cuda/programmatic.cuh"
#include "core/error.h"
#include "detector/cnn/cuda/head_decode.cuh"
#include "detector/cnn/cuda/operators/pyramid/pyramid.cuh"
#include "detector/cnn/cuda/pyramid_head_kernels.h"

namespace facepipe::detector::engine {
namespace {

constexpr int kRowPixels = kHeadColumns + 2;  // pixels in a row of the map in shared memory
constexpr int kPixels = 16;                   // number of pixels that are the rows of an operand A
constexpr int kRowOperands = kRowPixels / kPixels;

/// Returns the number of halves from one pixel to the next in shared memory. This is an odd number
/// of chunks of 16 bytes, so that eight neighbours lie in different banks.
__host__ __device__ constexpr int pixel_pitch(int tiles) { return 8 * (tiles + 1 - tiles % 2); }

__host__ __device__ constexpr int tile_rows(int tiles, int warps) {
  return head_warp_rows(tiles) * warps + 2;
}

/// Returns the size of a block's shared memory. The windows of the last two columns, whose results
/// are discarded, extend two pixels beyond the last row.
std::size_t shared_bytes(int tiles, int warps) {
  const int pixels = tile_rows(tiles, warps) * kRowPixels + 2;
  return static_cast<std::size_t>(window_weight_bytes(tiles) +
                                  pixels * pixel_pitch(tiles) * static_cast<int>(sizeof(__half)));
}

__device__ __forceinline__ int lane_id() { return static_cast<int>(threadIdx.x) % 32; }
__device__ __forceinline__ int warp_id() { return static_cast<int>(threadIdx.x) / 32; }
__device__ __forceinline__ int warp_count() { return static_cast<int>(blockDim.x) / 32; }

/// Loads two 8x8 matrices of halves from shared memory. Lane l < 16 passes the address of row l % 8
/// of matrix l / 8.
__device__ __forceinline__ void load_two_matrices(std::uint32_t (&to)[2], std::uint32_t from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(to[0]), "=r"(to[1])
               : "r"(from)
               : "memory");
}

template <int kTiles>
struct Block {
  static constexpr int kPitch = pixel_pitch(kTiles);
  static constexpr int kSteps = kTiles / 2;
  static constexpr int kWarpRows = head_warp_rows(kTiles);
  static constexpr bool kOdd = kTiles % 2 != 0;

  const PyramidHeadArguments& a;
  std::byte* window;  ///< weights of the 3x3 convolution, in shared memory
  __half* pixels;     ///< the pyramid's last map around the block's cells, in shared memory
  int left;           ///< the block's first cell
  int top;

  __device__ __forceinline__ void load_window() const {
    const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(window));
    for (int i = static_cast<int>(threadIdx.x); i < window_weight_bytes(kTiles) / 16;
         i += static_cast<int>(blockDim.x))
      copy_async<true>(to + 16U * static_cast<unsigned>(i), a.window + 16 * i, true);
    copies_commit();
  }

  /// Computes the pyramid's last map for the block's cells and one pixel around them. Pixels
  /// outside of the map are zero. A warp computes every other column in every (number of warps /
  /// 2)-th row.
  __device__ __forceinline__ void load_pixels() const {
    const int parity = warp_id() % 2;
    const int rows = tile_rows(kTiles, warp_count());
    const int step = warp_count() / 2;
    const int first_column = left - 1 + parity;
    __half2 results[kTiles][2];
    if (!NarrowPyramid<kTiles>::fits(a.step)) {
      for (int row = warp_id() / 2; row < rows; row += step) {
        pyramid_pixels(results, a.step, first_column, top - 1 + row);
        store_pixels(results, first_column, parity, row);
      }
      return;
    }
    const NarrowPyramid<kTiles> column(a.step, first_column);
    auto next = column.load(top - 1 + warp_id() / 2);
#pragma unroll 2
    for (int row = warp_id() / 2; row < rows; row += step) {
      const auto operands = next;
      next = column.load(top - 1 + row + step);
      column.compute(results, operands, top - 1 + row);
      store_pixels(results, first_column, parity, row);
    }
  }

  __device__ __forceinline__ void store_pixels(const __half2 (&results)[kTiles][2],
                                               int first_column, int parity, int row) const {
    const int y = top - 1 + row;
    const bool row_inside = y >= 0 && y < a.step.height;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int column = 2 * (lane_id() / 4 + 8 * half);
      const int x = first_column + column;
      const std::uint32_t mask = row_inside && x >= 0 && x < a.step.width ? ~0U : 0U;
      __half* const to = pixels + (row * kRowPixels + column + parity) * kPitch + lane_id() % 4 * 2;
#pragma unroll
      for (int j = 0; j < kTiles; ++j)
        *reinterpret_cast<std::uint32_t*>(to + 8 * j) = bits_of(results[j][half]) & mask;
    }
  }

  using Sums = float[kWarpRows][kRowOperands][kTiles][4];

  /// Computes the 3x3 convolution for the warp's rows.
  __device__ __forceinline__ void convolve(Sums& sums) const {
#pragma unroll
    for (int j = 0; j < kTiles; ++j) {
      const float2 bias =
          __ldg(reinterpret_cast<const float2*>(a.window_bias + 8 * j) + lane_id() % 4);
#pragma unroll
      for (int r = 0; r < kWarpRows; ++r)
#pragma unroll
        for (int h = 0; h < kRowOperands; ++h) {
          sums[r][h][j][0] = sums[r][h][j][2] = bias.x;
          sums[r][h][j][1] = sums[r][h][j][3] = bias.y;
        }
    }
    const int first_pixel = kWarpRows * warp_id() * kRowPixels + lane_id() % 16;
    const std::uint32_t base =
        static_cast<std::uint32_t>(__cvta_generic_to_shared(pixels)) +
        2U * static_cast<unsigned>(first_pixel * kPitch + lane_id() / 16 * 8);
    const auto* const whole = reinterpret_cast<const uint2*>(window) + lane_id();
    const auto* const last =
        reinterpret_cast<const std::uint32_t*>(window) + 9 * kSteps * kTiles * 64 + lane_id();
#pragma unroll
    for (int tap = 0; tap < 9; ++tap) {
      const auto operand = [&](int r, int h) {
        const int pixel = (r + tap / 3) * kRowPixels + h * kPixels + tap % 3;
        return base + 2U * static_cast<unsigned>(pixel * kPitch);
      };
#pragma unroll
      for (int s = 0; s < kSteps; ++s) {
        uint2 w[kTiles];
#pragma unroll
        for (int j = 0; j < kTiles; ++j) w[j] = whole[((tap * kSteps + s) * kTiles + j) * 32];
#pragma unroll
        for (int r = 0; r < kWarpRows; ++r)
#pragma unroll
          for (int h = 0; h < kRowOperands; ++h) {
            std::uint32_t operands[4];
            load_matrices(operands, operand(r, h) + 32U * static_cast<unsigned>(s));
#pragma unroll
            for (int j = 0; j < kTiles; ++j) multiply_add(sums[r][h][j], operands, w[j].x, w[j].y);
          }
      }
      if constexpr (kOdd) {
        std::uint32_t w[kTiles];
#pragma unroll
        for (int j = 0; j < kTiles; ++j) w[j] = last[(tap * kTiles + j) * 32];
#pragma unroll
        for (int r = 0; r < kWarpRows; ++r)
#pragma unroll
          for (int h = 0; h < kRowOperands; ++h) {
            std::uint32_t operands[2];
            load_two_matrices(operands, operand(r, h) + 32U * kSteps);
#pragma unroll
            for (int j = 0; j < kTiles; ++j)
              multiply_add_short(sums[r][h][j], operands[0], operands[1], w[j]);
          }
      }
    }
  }

  using Outputs = float[kRowOperands][2][4];

  /// Computes the 1x1 convolution for a row. The results of the 3x3 convolution already have the
  /// layout of operands of the 1x1 convolution.
  __device__ __forceinline__ void project(Outputs& outputs,
                                          const float (&row)[kRowOperands][kTiles][4]) const {
    const auto pair = [](const float(&sums)[4], int half) {
      return bits_of(__hmin2(
          __hmax2(__floats2half2_rn(sums[2 * half], sums[2 * half + 1]), __float2half2_rn(0.0F)),
          __float2half2_rn(65504.0F)));
    };
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const float2 bias =
          __ldg(reinterpret_cast<const float2*>(a.outputs_bias + 8 * n) + lane_id() % 4);
#pragma unroll
      for (int h = 0; h < kRowOperands; ++h) {
        outputs[h][n][0] = outputs[h][n][2] = bias.x;
        outputs[h][n][1] = outputs[h][n][3] = bias.y;
      }
    }
#pragma unroll
    for (int s = 0; s < kSteps + (kOdd ? 1 : 0); ++s) {
      const uint4 w = __ldg(a.outputs + s * 32 + lane_id());
#pragma unroll
      for (int h = 0; h < kRowOperands; ++h) {
        std::uint32_t operands[4] = {pair(row[h][2 * s], 0), pair(row[h][2 * s], 1), 0, 0};
        if (2 * s + 1 < kTiles) {
          constexpr int kLast = kTiles - 1;
          operands[2] = pair(row[h][2 * s < kLast ? 2 * s + 1 : kLast], 0);
          operands[3] = pair(row[h][2 * s < kLast ? 2 * s + 1 : kLast], 1);
        }
        multiply_add(outputs[h][0], operands, w.x, w.y);
        multiply_add(outputs[h][1], operands, w.z, w.w);
      }
    }
  }

  /// Returns flags. In lane 4g, bit 2h + half is set if the score of column 16h + 8half + g may
  /// pass the threshold. In other lanes, all flags are 0.
  __device__ __forceinline__ unsigned passing(const Outputs& outputs, int y) const {
    unsigned flags = 0;
#pragma unroll
    for (int h = 0; h < kRowOperands; ++h)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int column = kPixels * h + 8 * half + lane_id() / 4;
        if (outputs[h][0][2 * half] >= a.least && lane_id() % 4 == 0 && column < kHeadColumns &&
            left + column < a.step.width && y < a.step.height)
          flags |= 1U << (2 * h + half);
      }
    return flags;
  }

  /// Writes the network's outputs for the cells that may pass, and decodes them. Returns a bit for
  /// each column whose cell holds a candidate.
  template <class Cells>
  __device__ unsigned mark(const Outputs& outputs, unsigned flags, int y) const {
    const auto first_cell = static_cast<std::uint32_t>(y * a.step.width + left);
    const unsigned of_group = __shfl_sync(~0U, flags, lane_id() / 4 * 4);
#pragma unroll
    for (int h = 0; h < kRowOperands; ++h)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        if ((of_group & (1U << (2 * h + half))) == 0) continue;
        const std::size_t cell = first_cell + static_cast<unsigned>(kPixels * h + 8 * half) +
                                 static_cast<unsigned>(lane_id()) / 4;
        auto* const to = reinterpret_cast<float2*>(a.cells + cell * kHeadChannels);
        to[lane_id() % 4] = {outputs[h][0][2 * half], outputs[h][0][2 * half + 1]};
        to[4 + lane_id() % 4] = {outputs[h][1][2 * half], outputs[h][1][2 * half + 1]};
      }
    __syncwarp();
    // From here on lane l handles column l.
    const unsigned of_column = __shfl_sync(~0U, flags, lane_id() % 8 * 4);
    bool holds = (of_column >> (lane_id() / 8) & 1U) != 0;
    if (holds)
      holds = holds_candidate<Cells>(
          a.head, {a.head.levels[0], first_cell + static_cast<unsigned>(lane_id()), 0});
    return __ballot_sync(~0U, holds);
  }
};

template <int kTiles, class Cells>
__global__ void __launch_bounds__(32 * kMostHeadWarps, 2)
    pyramid_head_kernel(const __grid_constant__ PyramidHeadArguments a) {
  constexpr int kWarpRows = head_warp_rows(kTiles);
  extern __shared__ __align__(16) std::byte shared[];
  const Block<kTiles> block{a, shared,
                            reinterpret_cast<__half*>(shared + window_weight_bytes(kTiles)),
                            static_cast<int>(blockIdx.x) * kHeadColumns,
                            static_cast<int>(blockIdx.y) * kWarpRows * warp_count()};
  block.load_window();  // this needs no wait, because no kernel writes weights
  cuda::wait_for_previous_kernel();
  cuda::let_next_kernel_start();
  block.load_pixels();
  copies_wait<0>();
  __syncthreads();
  const int first_y = block.top + kWarpRows * warp_id();
  if (first_y >= a.step.height) return;
  typename Block<kTiles>::Sums sums;
  block.convolve(sums);
#pragma unroll
  for (int r = 0; r < kWarpRows; ++r) {
    const int y = first_y + r;
    typename Block<kTiles>::Outputs outputs;
    block.project(outputs, sums[r]);
    const unsigned flags = block.passing(outputs, y);
    const unsigned word =
        __any_sync(~0U, flags != 0) ? block.template mark<Cells>(outputs, flags, y) : 0;
    if (lane_id() == 0 && y < a.step.height)
      a.words[y * words_of_row(a.step.width) + static_cast<int>(blockIdx.x)] = word;
  }
}

using Kernel = void (*)(PyramidHeadArguments);

Kernel kernel_of(int tiles) {
  switch (tiles) {
    case 2:
      return pyramid_head_kernel<2, CenterfaceCells>;
    case 3:
      return pyramid_head_kernel<3, CenterfaceCells>;
    case 4:
      return pyramid_head_kernel<4, CenterfaceCells>;
    default:
      throw Error(ErrorKind::internal, "head: there is no kernel for this number of channels");
  }
}

unsigned divide_up(int value, int by) { return static_cast<unsigned>((value + by - 1) / by); }

}  // namespace

int prepare_pyramid_head(int tiles, int warps) {
  const Kernel kernel = kernel_of(tiles);
  const std::size_t bytes = shared_bytes(tiles, warps);
  FACEPIPE_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                           cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(shared_bytes(tiles, kMostHeadWarps))));
  int blocks = 0;
  FACEPIPE_CUDA_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32 * warps, bytes));
  return blocks;
}

void launch_pyramid_head(int tiles, int warps, const PyramidHeadArguments& arguments,
                         cuda::Overlap overlap, cuda::StreamView stream) {
  cuda::LaunchShape shape;
  shape.grid = dim3(divide_up(arguments.step.width, kHeadColumns),
                    divide_up(arguments.step.height, head_warp_rows(tiles) * warps));
  shape.block = static_cast<unsigned>(32 * warps);
  shape.shared_bytes = shared_bytes(tiles, warps);
  shape.overlap = overlap;
  cuda::launch(kernel_of(tiles), shape, stream, arguments);
  launch_head_compaction(arguments, overlap, stream);
}

}  // namespace facepipe::detector::engine
