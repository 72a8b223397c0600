#include <stdexcept>

#include "core/cuda/check.h"
#include "detector/cuda/operators/activation.cuh"
#include "detector/cuda/operators/convolution.h"
#include "detector/cuda/operators/tensor_core.cuh"

namespace facepipe::engine {
namespace {

constexpr int kWarps = 4;
constexpr int kThreads = kWarps * 32;
constexpr int kChunk = 8;                        // halves of one 16-byte load
constexpr int kStepChunks = kSumStep / kChunk;   // chunks of a row in one step
constexpr int kPitch = kSumStep + kChunk;        // halves of a row in shared memory: no two of eight
                                                 // rows' chunks share a bank
constexpr int kStages = 3;                       // steps on their way at a time
constexpr int kRowsPerThread = kThreads / kStepChunks;

__host__ __device__ constexpr int tile_rows(int rows) { return 16 * kWarps * rows; }
__host__ __device__ constexpr int stage_halves(int rows, int columns) {
  // Fragments of columns are loaded in pairs: an odd last one reads a neighbour that is not used.
  return (tile_rows(rows) + 8 * (columns + columns % 2)) * kPitch;
}

/// Shared memory of a launch: the stages, and later the results on their way out in their place.
std::size_t shared_bytes(ConvolutionTile tile, int chunks) {
  const int steps = (chunks + kStepChunks - 1) / kStepChunks;
  const int stages = steps < kStages ? steps : kStages;
  const int operands = stages * stage_halves(tile.rows, tile.columns);
  const int results = tile_rows(tile.rows) * (8 * tile.columns + kChunk);
  return static_cast<std::size_t>(operands > results ? operands : results) * sizeof(__half);
}

/// Where the chunks of one row of the matrix of pixels stand in memory.
template <ConvolutionKind kKind>
struct Row {
  const __half* base;
  int y;
  int x;
  bool valid;

  __device__ Row(const ConvolutionArguments& a, long long row) {
    valid = row < a.rows;
    if constexpr (kKind == ConvolutionKind::pointwise || kKind == ConvolutionKind::transposed) {
      base = a.input + row * a.input_pitch;
    } else {
      const int oy = static_cast<int>(row / a.row_width);
      const int ox = static_cast<int>(row % a.row_width);
      y = oy * a.window.stride_y - a.window.top;
      x = ox * a.window.stride_x - a.window.left;
      // The stem's rows begin with a black pixel, so that two pixels are always one aligned load.
      base = kKind == ConvolutionKind::stem
                 ? a.input + (static_cast<long long>(y) * (a.input_width + 2) + x + 1) * 4
                 : a.input + (static_cast<long long>(y) * a.input_width + x) * a.input_pitch;
    }
  }
};

/// Place of a chunk of the sum relative to a row's base; the same for all rows.
template <ConvolutionKind kKind>
struct Chunk {
  long long offset;
  int y;
  int x;
  bool valid;

  __device__ Chunk(const ConvolutionArguments& a, int chunk) {
    valid = chunk < a.chunks;
    if constexpr (kKind == ConvolutionKind::pointwise || kKind == ConvolutionKind::transposed) {
      offset = chunk * kChunk;
    } else if constexpr (kKind == ConvolutionKind::stem) {
      y = chunk / 2;
      offset = static_cast<long long>(y) * (a.input_width + 2) * 4 + chunk % 2 * kChunk;
    } else {
      const int tap = chunk / a.tap_chunks;
      y = tap / a.window.kernel_width;
      x = tap % a.window.kernel_width;
      offset = (static_cast<long long>(y) * a.input_width + x) * a.input_pitch +
               chunk % a.tap_chunks * kChunk;
    }
  }
};

template <ConvolutionKind kKind>
__device__ __forceinline__ bool inside(const ConvolutionArguments& a, const Row<kKind>& row,
                                       const Chunk<kKind>& chunk) {
  bool result = row.valid && chunk.valid;
  if constexpr (kKind == ConvolutionKind::window || kKind == ConvolutionKind::stem) {
    const int y = row.y + chunk.y;
    result = result && y >= 0 && y < a.input_height;
  }
  if constexpr (kKind == ConvolutionKind::window) {
    const int x = row.x + chunk.x;
    result = result && x >= 0 && x < a.input_width;
  }
  return result;
}

/// One thread block's part of the product.
template <ConvolutionKind kKind, bool kF32, int kRows, int kColumns>
struct Tile {
  static constexpr int kTileRows = tile_rows(kRows);
  static constexpr int kTileColumns = 8 * kColumns;
  static constexpr int kLoads = kTileRows / kRowsPerThread;  // rows that a thread loads
  static constexpr int kPairs = (kColumns + 1) / 2;

  const ConvolutionArguments& a;
  long long first_row;
  int first_column;
  std::uint32_t shared;
  float sums[kRows][kColumns][4] = {};

  __device__ __forceinline__ void load(const Row<kKind> (&rows)[kLoads], int step, int stage) {
    const int lane_chunk = static_cast<int>(threadIdx.x) % kStepChunks;
    const int lane_row = static_cast<int>(threadIdx.x) / kStepChunks;
    const std::uint32_t to =
        shared + 2U * static_cast<unsigned>(stage * stage_halves(kRows, kColumns) +
                                            lane_row * kPitch + lane_chunk * kChunk);
    const Chunk<kKind> chunk(a, step * kStepChunks + lane_chunk);
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const bool valid = inside(a, rows[i], chunk);
      copy_async(to + 2U * static_cast<unsigned>(i * kRowsPerThread * kPitch),
                 valid ? rows[i].base + chunk.offset : a.input, valid);
    }
    // Weights are padded to whole tiles and steps.
    const int padded = (a.chunks + kStepChunks - 1) / kStepChunks * kSumStep;
    const __half* const weights = a.weights + step * kSumStep + lane_chunk * kChunk;
#pragma unroll
    for (int column = 0; column < kTileColumns; column += kRowsPerThread) {
      const int mine = column + lane_row;
      if (mine < kTileColumns)
        copy_async(to + 2U * static_cast<unsigned>((kTileRows + column) * kPitch),
                   weights + static_cast<long long>(first_column + mine) * padded, true);
    }
  }

  __device__ __forceinline__ void multiply(int stage, int parts) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const std::uint32_t base =
        shared + 2U * static_cast<unsigned>(stage * stage_halves(kRows, kColumns));
    const std::uint32_t a_base =
        base + 2U * static_cast<unsigned>((warp * 16 * kRows + lane % 16) * kPitch + lane / 16 * 8);
    const std::uint32_t b_base =
        base + 2U * static_cast<unsigned>((kTileRows + lane / 16 * 8 + lane % 8) * kPitch +
                                          lane / 8 % 2 * 8);
#pragma unroll
    for (int part = 0; part < kSumStep / 16; ++part) {
      if (part >= parts) break;
      std::uint32_t pixels[kRows][4];
#pragma unroll
      for (int r = 0; r < kRows; ++r)
        load_matrices(pixels[r], a_base + 2U * static_cast<unsigned>(r * 16 * kPitch + part * 16));
#pragma unroll
      for (int pair = 0; pair < kPairs; ++pair) {
        std::uint32_t weights[4];
        load_matrices(weights,
                      b_base + 2U * static_cast<unsigned>(pair * 16 * kPitch + part * 16));
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          multiply_add(sums[r][2 * pair], pixels[r], weights[0], weights[1]);
          if (2 * pair + 1 < kColumns)
            multiply_add(sums[r][2 * pair + 1 < kColumns ? 2 * pair + 1 : 0], pixels[r],
                         weights[2], weights[3]);
        }
      }
    }
  }

  /// The output's pixel for a row and a column of the matrix.
  __device__ __forceinline__ long long pixel_of(long long row, int column, int& channel) const {
    if constexpr (kKind != ConvolutionKind::transposed) {
      channel = column;
      return row;
    } else {
      const int channels = a.columns / 4;
      const int sub = column / channels;
      channel = column - sub * channels;
      const long long y = row / a.row_width;
      const long long x = row - y * a.row_width;
      return (2 * y + sub / 2) * (2LL * a.row_width) + 2 * x + sub % 2;
    }
  }

  /// Bias, activation and residual of two neighbouring columns.
  __device__ __forceinline__ float2 finished(float x, float y, long long row, int column) const {
    const float2 bias = __ldg(reinterpret_cast<const float2*>(a.bias + column));
    float2 result{activated(x + bias.x, a.activation), activated(y + bias.y, a.activation)};
    if (a.residual != nullptr) {
      int channel = 0;
      const long long pixel = pixel_of(row, column, channel);
      const float2 add = __half22float2(*reinterpret_cast<const __half2*>(
          a.residual + pixel * a.residual_pitch + channel));
      result.x += add.x;
      result.y += add.y;
    }
    return result;
  }

  template <class Put>
  __device__ __forceinline__ void finish(const Put& put) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
    for (int r = 0; r < kRows; ++r)
#pragma unroll
      for (int c = 0; c < kColumns; ++c)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int row = (warp * kRows + r) * 16 + lane / 4 + 8 * half;
          const int column = 8 * c + lane % 4 * 2;
          if (first_row + row >= a.rows || first_column + column >= a.columns) continue;
          put(row, column,
              finished(sums[r][c][2 * half], sums[r][c][2 * half + 1], first_row + row,
                       first_column + column));
        }
  }

  __device__ __forceinline__ void store(__half* staged) {
    if constexpr (kF32) {
      finish([&](int row, int column, float2 value) {
        auto* const to = static_cast<float*>(a.output) + (first_row + row) * a.output_pitch;
        *reinterpret_cast<float2*>(to + first_column + column) = value;
      });
    } else {
      // Through shared memory, so that whole sectors are written.
      constexpr int kStagedPitch = kTileColumns + kChunk;
      __syncthreads();
      finish([&](int row, int column, float2 value) {
        *reinterpret_cast<__half2*>(staged + row * kStagedPitch + column) =
            to_half2(value.x, value.y);
      });
      __syncthreads();
      for (int i = static_cast<int>(threadIdx.x); i < kTileRows * kColumns; i += kThreads) {
        const int row = i / kColumns;
        const int column = i % kColumns * kChunk;
        if (first_row + row >= a.rows || first_column + column >= a.columns) continue;
        int channel = 0;
        const long long pixel = pixel_of(first_row + row, first_column + column, channel);
        *reinterpret_cast<uint4*>(static_cast<__half*>(a.output) + pixel * a.output_pitch +
                                  channel) =
            *reinterpret_cast<const uint4*>(staged + row * kStagedPitch + column);
      }
    }
  }
};

template <ConvolutionKind kKind, bool kF32, int kRows, int kColumns>
__global__ void __launch_bounds__(kThreads)
    convolution_kernel(const __grid_constant__ ConvolutionArguments a) {
  extern __shared__ __align__(16) __half staged[];
  using Work = Tile<kKind, kF32, kRows, kColumns>;
  Work tile{a, static_cast<long long>(blockIdx.x) * Work::kTileRows,
            static_cast<int>(blockIdx.y) * Work::kTileColumns,
            static_cast<std::uint32_t>(__cvta_generic_to_shared(staged))};
  const auto row_of = [&](int i) {
    return Row<kKind>(a, tile.first_row + threadIdx.x / kStepChunks + i * kRowsPerThread);
  };
  static_assert(Work::kLoads == 2 || Work::kLoads == 4);
  const int steps = (a.chunks + kStepChunks - 1) / kStepChunks;
  const auto run = [&](const Row<kKind>(&rows)[Work::kLoads]) {
    for (int step = 0; step < kStages - 1; ++step) {
      if (step < steps) tile.load(rows, step, step);
      copies_commit();
    }
    for (int step = 0; step < steps; ++step) {
      copies_wait<kStages - 2>();
      __syncthreads();  // the copies of all threads, and everyone has left the stage to be refilled
      const int next = step + kStages - 1;
      if (next < steps) tile.load(rows, next, next % kStages);
      copies_commit();
      const int chunks = a.chunks - step * kStepChunks;
      tile.multiply(step % kStages, (chunks + 1) / 2);
    }
  };
  if constexpr (Work::kLoads == 2)
    run({row_of(0), row_of(1)});
  else
    run({row_of(0), row_of(1), row_of(2), row_of(3)});
  tile.store(staged);
}

using Kernel = void (*)(ConvolutionArguments);

template <ConvolutionKind kKind, bool kF32, int kRows>
Kernel kernel_of_rows(int columns) {
  switch (columns) {
    case 2:
      return convolution_kernel<kKind, kF32, kRows, 2>;
    case 3:
      return convolution_kernel<kKind, kF32, kRows, 3>;
    case 4:
      return convolution_kernel<kKind, kF32, kRows, 4>;
    case 6:
      return convolution_kernel<kKind, kF32, kRows, 6>;
    case 8:
      return convolution_kernel<kKind, kF32, kRows, 8>;
    case 10:
      return convolution_kernel<kKind, kF32, kRows, 10>;
    case 12:
      return convolution_kernel<kKind, kF32, kRows, 12>;
    default:
      throw std::invalid_argument("convolution: a tile without a kernel");
  }
}

template <ConvolutionKind kKind, bool kF32>
Kernel kernel_of(ConvolutionTile tile) {
  return tile.rows == 2 ? kernel_of_rows<kKind, kF32, 2>(tile.columns)
                        : kernel_of_rows<kKind, kF32, 1>(tile.columns);
}

Kernel kernel_of(ConvolutionKind kind, bool f32, ConvolutionTile tile) {
  switch (kind) {
    case ConvolutionKind::pointwise:
      return f32 ? kernel_of<ConvolutionKind::pointwise, true>(tile)
                 : kernel_of<ConvolutionKind::pointwise, false>(tile);
    case ConvolutionKind::window:
      return f32 ? kernel_of<ConvolutionKind::window, true>(tile)
                 : kernel_of<ConvolutionKind::window, false>(tile);
    case ConvolutionKind::stem:
      if (!f32) return kernel_of<ConvolutionKind::stem, false>(tile);
      break;
    case ConvolutionKind::transposed:
      if (!f32) return kernel_of<ConvolutionKind::transposed, false>(tile);
      break;
  }
  throw std::invalid_argument("convolution: no kernel writes floats");
}

}  // namespace

void prepare_convolution(ConvolutionKind kind, bool f32, ConvolutionTile tile) {
  const auto most = static_cast<int>(shared_bytes(tile, kStages * kStepChunks));
  FACEPIPE_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel_of(kind, f32, tile)),
                                           cudaFuncAttributeMaxDynamicSharedMemorySize, most));
}

void launch_convolution(ConvolutionKind kind, bool f32, ConvolutionTile tile,
                        const ConvolutionArguments& arguments, cudaStream_t stream) {
  const int rows = tile_rows(tile.rows);
  const int columns = 8 * tile.columns;
  const dim3 grid(static_cast<unsigned>((arguments.rows + rows - 1) / rows),
                  static_cast<unsigned>((arguments.columns + columns - 1) / columns));
  kernel_of(kind, f32, tile)<<<grid, kThreads, shared_bytes(tile, arguments.chunks), stream>>>(
      arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::engine
