#include "core/cuda/check.h"
#include "core/error.h"
#include "detector/cnn/cuda/operators/convolution.h"
#include "detector/cnn/cuda/operators/convolution_tile.cuh"

namespace facepipe::detector::engine {
namespace {

/// Returns the number of bytes of shared memory for a launch. This memory first holds the stages;
/// after the last step, it holds the results.
std::size_t shared_bytes(ConvolutionTile tile, int chunks) {
  const int steps = divide_up(chunks, tile.step / kTileChunk);
  const int stages = steps < kTileStages ? steps : kTileStages;
  const int operands = stages * stage_halves(tile.rows, tile.columns, tile.step);
  const int results = tile_rows(tile.rows) * (8 * tile.columns + kTileChunk);
  return static_cast<std::size_t>(operands > results ? operands : results) * sizeof(__half);
}

template <ConvolutionKind kKind, bool kF32, int kRows, int kColumns, int kStep>
__global__ void __launch_bounds__(kTileThreads)
    convolution_kernel(const __grid_constant__ ConvolutionArguments a) {
  extern __shared__ __align__(16) __half staged[];
  using Work = Tile<kKind, kF32, kRows, kColumns, kStep>;
  Work tile{a,
            static_cast<int>(blockIdx.x) * Work::kTileRows,
            static_cast<int>(blockIdx.y) * Work::kTileColumns,
            static_cast<std::uint32_t>(__cvta_generic_to_shared(staged)),
            {}};
  const typename Work::Source source(a, tile.first_row + Work::lane_row());
  const int steps = divide_up(a.chunks, Work::kStepChunks);
#pragma unroll
  for (int step = 0; step < kTileStages - 1; ++step) {
    if (step < steps) tile.load(source, step, step);
    copies_commit();
  }
  tile.start_with_bias();
  for (int step = 0; step < steps; ++step) {
    copies_wait<kTileStages - 2>();
    // Now all threads' copies are complete, and no thread still reads the stage that is refilled
    // next.
    __syncthreads();
    const int next = step + kTileStages - 1;
    if (next < steps) tile.load(source, next, next % kTileStages);
    copies_commit();
    const int chunks = a.chunks - step * Work::kStepChunks;
    tile.multiply(step % kTileStages, (chunks + 1) / 2);
  }
  if constexpr (kF32)
    tile.store_floats();
  else
    tile.store_halves(staged);
}

using Kernel = void (*)(ConvolutionArguments);

template <ConvolutionKind kKind, bool kF32, int kRows, int kStep>
Kernel kernel_of_columns(int columns) {
  switch (columns) {
    case 2:
      return convolution_kernel<kKind, kF32, kRows, 2, kStep>;
    case 3:
      return convolution_kernel<kKind, kF32, kRows, 3, kStep>;
    case 4:
      return convolution_kernel<kKind, kF32, kRows, 4, kStep>;
    case 6:
      return convolution_kernel<kKind, kF32, kRows, 6, kStep>;
    case 8:
      return convolution_kernel<kKind, kF32, kRows, 8, kStep>;
    case 10:
      return convolution_kernel<kKind, kF32, kRows, 10, kStep>;
    case 12:
      return convolution_kernel<kKind, kF32, kRows, 12, kStep>;
    default:
      throw Error(ErrorKind::internal, "convolution: there is no kernel for this tile");
  }
}

template <ConvolutionKind kKind, bool kF32>
Kernel kernel_of(ConvolutionTile tile) {
  if (tile.rows != 1 && tile.rows != 2)
    throw Error(ErrorKind::internal, "convolution: there is no kernel for this tile");
  // Long steps are faster only for long sums, which pointwise convolutions have.
  if constexpr (kKind == ConvolutionKind::pointwise)
    if (tile.step == kLongStep)
      return tile.rows == 2 ? kernel_of_columns<kKind, kF32, 2, kLongStep>(tile.columns)
                            : kernel_of_columns<kKind, kF32, 1, kLongStep>(tile.columns);
  if (tile.step != kShortStep)
    throw Error(ErrorKind::internal, "convolution: there is no kernel for this tile");
  return tile.rows == 2 ? kernel_of_columns<kKind, kF32, 2, kShortStep>(tile.columns)
                        : kernel_of_columns<kKind, kF32, 1, kShortStep>(tile.columns);
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
  throw Error(ErrorKind::internal, "convolution: no kernel writes floats");
}

}  // namespace

std::size_t convolution_shared_bytes(ConvolutionTile tile) {
  return shared_bytes(tile, kTileStages * tile.step);
}

void prepare_convolution(ConvolutionKind kind, bool f32, ConvolutionTile tile) {
  const auto most = static_cast<int>(convolution_shared_bytes(tile));
  FACEPIPE_CUDA_CHECK(
      cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel_of(kind, f32, tile)),
                           cudaFuncAttributeMaxDynamicSharedMemorySize, most));
}

void launch_convolution(ConvolutionKind kind, bool f32, ConvolutionTile tile,
                        const ConvolutionArguments& arguments, cudaStream_t stream) {
  const int rows = tile_rows(tile.rows);
  const int columns = 8 * tile.columns;
  const dim3 grid(static_cast<unsigned>(divide_up(arguments.rows, rows)),
                  static_cast<unsigned>(divide_up(arguments.columns, columns)));
  kernel_of(kind, f32,
            tile)<<<grid, kTileThreads, shared_bytes(tile, arguments.chunks), stream>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::detector::engine
