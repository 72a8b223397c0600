#include <algorithm>

#include "core/cuda/check.h"
#include "core/cuda/launch.h"
#include "core/error.h"
#include "detector/cnn/cuda/operators/inverted_residual/instances.cuh"

namespace facepipe::detector::engine {
namespace {

constexpr int kCompiledChunks[] = {2, 3, 4, 8, 12, 16, 20, 24};

int divide_up(int value, int by) { return (value + by - 1) / by; }

InvertedResidualKernel find_kernel(int chunks, int stride, int rows) {
  for (const auto find :
       {narrow_inverted_residual, middle_inverted_residual, wide_inverted_residual})
    if (const InvertedResidualKernel kernel = find(chunks, stride, rows)) return kernel;
  return nullptr;
}

bool fits(const InvertedResidualShape& shape, const InvertedResidualTile& tile) {
  const int pixel_tiles = tile.block_rows() * pixel_tiles_of_row(shape.stride);
  return tile.groups >= 1 && tile.warps >= 1 && tile.warps <= most_warps(shape) &&
         tile.split >= 1 && tile.split <= kMostSplit && tile.split <= shape.expanded_groups &&
         (tile.pixel_tiles == 1 || tile.pixel_tiles == 2) && pixel_tiles % tile.pixel_tiles == 0;
}

InvertedResidualKernel kernel_of(const InvertedResidualShape& shape,
                                 const InvertedResidualTile& tile) {
  const InvertedResidualKernel kernel = find_kernel(shape.input_chunks, shape.stride, tile.rows);
  if (kernel == nullptr || !fits(shape, tile))
    throw Error(ErrorKind::internal, "inverted residual: there is no kernel for this tile");
  return kernel;
}

/// Holds the sizes of a block's shared memory, in chunks.
struct BlockMemory {
  /// number of chunks of the strip, or of the partial sums that a block receives, if these are more
  int strip = 0;
  int chunks = 0;  ///< number of chunks of the whole block
  int expanded_groups = 0;
  bool stage_weights = false;
};

BlockMemory memory_of(const InvertedResidualShape& shape, const InvertedResidualTile& tile) {
  constexpr int kChunkBytes = sizeof(uint4);
  const int rows = tile.block_rows();
  const int pixel_tiles = rows * pixel_tiles_of_row(shape.stride);
  BlockMemory memory;
  memory.expanded_groups = divide_up(shape.expanded_groups, tile.split);
  memory.strip =
      strip_rows(shape.stride, rows) * kStripWidth * strip_pitch(shape.input_chunks) / kChunkBytes;
  if (tile.split > 1) {
    const int units = pixel_tiles / tile.pixel_tiles * shape.column_groups;
    const int unit_chunks = tile.pixel_tiles * shape.column_tiles * 32 / 2;
    memory.strip = std::max(memory.strip, tile.split * divide_up(units, tile.split) * unit_chunks);
  }
  memory.stage_weights = tile.staged && memory.expanded_groups * tile.groups > tile.warps;
  const int project = shape.column_groups * shape.column_tiles * 16;
  const int first_phase = shape.input_chunks * 16 + 4 * kDepthwiseChunks;
  memory.chunks =
      memory.strip + memory.expanded_groups *
                         (project + pixel_tiles * 32 + (memory.stage_weights ? first_phase : 0));
  return memory;
}

}  // namespace

int compiled_chunks(int chunks) {
  for (const int compiled : kCompiledChunks)
    if (compiled >= chunks) return compiled;
  return 0;
}

bool has_rows(int chunks, int stride, int rows) {
  return find_kernel(chunks, stride, rows) != nullptr;
}

int most_warps(const InvertedResidualShape& shape) { return most_threads(shape.input_chunks) / 32; }

std::size_t shared_bytes_of(const InvertedResidualShape& shape, const InvertedResidualTile& tile) {
  return static_cast<std::size_t>(memory_of(shape, tile).chunks) * sizeof(uint4);
}

int prepare_inverted_residual(const InvertedResidualShape& shape,
                              const InvertedResidualTile& tile) {
  const InvertedResidualKernel kernel = kernel_of(shape, tile);
  int device = 0;
  int most = 0;
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  FACEPIPE_CUDA_CHECK(
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const std::size_t bytes = shared_bytes_of(shape, tile);
  if (bytes > static_cast<std::size_t>(most)) return 0;
  // The attribute belongs to the kernel, which several tiles use. So we set it to the device's
  // maximum.
  FACEPIPE_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                           cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  int blocks = 0;
  FACEPIPE_CUDA_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32 * tile.warps, bytes));
  return blocks;
}

void launch_inverted_residual(const InvertedResidualShape& shape, const InvertedResidualTile& tile,
                              const InvertedResidualArguments& arguments, bool programmatic,
                              cuda::StreamView stream) {
  const int strips = divide_up(shape.output_width, kStripPixels / shape.stride);
  const int row_blocks = divide_up(shape.output_height, tile.block_rows());
  InvertedResidualArguments a = arguments;
  a.block.row_groups = tile.groups;
  a.block.pixel_tiles = tile.pixel_tiles;
  const BlockMemory memory = memory_of(shape, tile);
  a.block.expanded_groups = memory.expanded_groups;
  a.block.strip_chunks = memory.strip;
  a.block.stage_weights = memory.stage_weights ? 1 : 0;
  cuda::LaunchShape launch;
  launch.grid = dim3(static_cast<unsigned>(strips), static_cast<unsigned>(row_blocks),
                     static_cast<unsigned>(tile.split));
  launch.block = dim3(static_cast<unsigned>(32 * tile.warps));
  launch.shared_bytes = shared_bytes_of(shape, tile);
  launch.cluster_z = static_cast<unsigned>(tile.split);
  launch.overlap = programmatic ? cuda::Overlap::prologue : cuda::Overlap::none;
  cuda::launch(kernel_of(shape, tile), launch, stream, a);
}

}  // namespace facepipe::detector::engine
