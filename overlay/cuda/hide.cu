#include <algorithm>

#include "core/cuda/check.h"
#include "overlay/cuda/hide_kernels.h"
#include "overlay/hide.h"

namespace facepipe::overlay {
namespace {

constexpr unsigned kComponents = 3;
constexpr unsigned kPaintThreads = 128;   // a block paints a row at a time
constexpr unsigned kPaintBlocks = 64;     // number of blocks that share a mask
constexpr unsigned kMosaicThreads = 256;  // a block takes a cell of the mosaic
constexpr unsigned kBlurThreads = 64;     // a thread takes a row or a column
constexpr unsigned kWarp = 32;

/// Refers to the Y, U or V samples of the picture.
template <class Sample>
struct Component {
  std::byte* data;
  std::int64_t stride;
  int step;
  PlaneGrid grid;

  __device__ Component(const HidePlanes& planes, unsigned index) {
    const bool luma = index == 0;
    data = luma ? planes.luma : planes.chroma + (index - 1) * sizeof(Sample);
    stride = luma ? planes.luma_stride : planes.chroma_stride;
    step = luma ? 1 : 2;
    grid = luma ? PlaneGrid{0, 0} : PlaneGrid{1, 1};
  }
  __device__ Sample& at(int x, int y) const {
    return reinterpret_cast<Sample*>(data + y * stride)[static_cast<std::ptrdiff_t>(x) * step];
  }
};

/// Returns the masked samples in row `y` of a component that lie in `area`, which is a part of the
/// mask.
__device__ ColumnSpan masked_samples(const HideMask& mask, const PixelRect& area, const Size& cell,
                                     const PlaneGrid& grid, int y) {
  ColumnSpan pixels = masked_columns(mask, cell, y << grid.log2_h);
  pixels = {max(pixels.x1, area.x1), min(pixels.x2, area.x2)};
  return pixels.empty() ? ColumnSpan{} : grid.samples_of(pixels);
}

/// Paints a block's part of a component's samples in the mask blockIdx.y. The sample at (x, y)
/// becomes value(x, y).
template <class Sample, class Value>
__device__ void paint(const HideBatch& batch, const Component<Sample>& component,
                      const Value& value) {
  const HideMask& mask = batch.masks[blockIdx.y];
  const PixelRect rows = component.grid.samples_of(mask.area);
  for (int y = rows.y1 + static_cast<int>(blockIdx.x); y < rows.y2; y += kPaintBlocks) {
    const ColumnSpan columns =
        masked_samples(mask, mask.area, batch.planes.cell, component.grid, y);
    for (int x = columns.x1 + static_cast<int>(threadIdx.x); x < columns.x2; x += kPaintThreads)
      component.at(x, y) = static_cast<Sample>(value(x, y));
  }
}

template <class Sample>
__global__ void __launch_bounds__(kPaintThreads)
    color_kernel(const __grid_constant__ HideBatch batch, YuvColor color) {
  const Component<Sample> component(batch.planes, blockIdx.z);
  const std::uint16_t sample = blockIdx.z == 0 ? color.y : blockIdx.z == 1 ? color.u : color.v;
  paint(batch, component, [&](int, int) { return sample; });
}

template <class Sample>
__global__ void __launch_bounds__(kPaintThreads)
    image_kernel(const __grid_constant__ HideBatch batch,
                 const __grid_constant__ ImageLevels image) {
  const Component<Sample> component(batch.planes, blockIdx.z);
  const ComposedImage::Level& level = image.levels[blockIdx.y];
  const std::uint16_t* const samples = image.samples + level.plane(blockIdx.z);
  const PixelRect whole = component.grid.samples_of(batch.masks[blockIdx.y].whole);
  paint(batch, component, [&](int x, int y) {
    const ImageTap row = image_tap(y - whole.y1, whole.y2 - whole.y1, level.size.height);
    const ImageTap column = image_tap(x - whole.x1, whole.x2 - whole.x1, level.size.width);
    const auto stride = static_cast<std::ptrdiff_t>(level.size.width);
    return bilinear(samples + row.first * stride, samples + row.second * stride, column, row.part)
           << batch.planes.scale.shift;
  });
}

/// Returns the sum of all threads' values, in each thread.
__device__ std::uint64_t sum_of_block(std::uint64_t value) {
  __shared__ std::uint64_t sums[kMosaicThreads / kWarp];
  for (unsigned offset = kWarp / 2; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xFFFFFFFFU, value, offset);
  __syncthreads();  // some threads may still read the sums of the previous call
  if (threadIdx.x % kWarp == 0) sums[threadIdx.x / kWarp] = value;
  __syncthreads();
  std::uint64_t sum = 0;
  for (const std::uint64_t of_warp : sums) sum += of_warp;
  return sum;
}

/// Sets the masked samples of a component in `tile` to the mean of all its samples in `tile`, which
/// must not be empty. All threads of a block must call this. No thread writes before all threads
/// have read.
template <class Sample>
__device__ void average(const HideBatch& batch, const Component<Sample>& component,
                        const HideMask& mask, const PixelRect& tile) {
  const int shift = batch.planes.scale.shift;
  const PixelRect samples = component.grid.samples_of(tile);
  const int width = samples.x2 - samples.x1;
  const int warp = static_cast<int>(threadIdx.x / kWarp);
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  constexpr int kWarps = kMosaicThreads / kWarp;
  std::uint64_t sum = 0;
  for (int y = samples.y1 + warp; y < samples.y2; y += kWarps)
    for (int x = samples.x1 + lane; x < samples.x2; x += kWarp)
      sum += static_cast<unsigned>(component.at(x, y)) >> shift;
  const std::uint64_t count = std::uint64_t{1} * width * (samples.y2 - samples.y1);
  const unsigned mean = mosaic_mean(sum_of_block(sum), count) << shift;
  for (int y = samples.y1 + warp; y < samples.y2; y += kWarps) {
    const ColumnSpan columns = masked_samples(mask, tile, batch.planes.cell, component.grid, y);
    for (int x = columns.x1 + lane; x < columns.x2; x += kWarp)
      component.at(x, y) = static_cast<Sample>(mean);
  }
}

template <class Sample>
__global__ void __launch_bounds__(kMosaicThreads)
    mosaic_kernel(const __grid_constant__ HideBatch batch) {
  const HideMask& mask = batch.masks[blockIdx.y];
  const auto cell = static_cast<int>(blockIdx.x);
  const PixelRect tile =
      mosaic_cell(mask, batch.planes.cell, kMosaicCells, cell % kMosaicCells, cell / kMosaicCells);
  if (tile.empty()) return;
  for (unsigned index = 0; index < kComponents; ++index)
    average(batch, Component<Sample>(batch.planes, index), mask, tile);
}

/// Does one pass of a box filter along a line: store(i, mean of load(i - radius) .. load(i +
/// radius)).
template <class Load, class Store>
__device__ void filter_line(int length, const BoxMean& mean, const Load& load, const Store& store) {
  const int radius = static_cast<int>(mean.radius);
  std::uint32_t sum = 0;
  for (int i = -radius; i <= radius; ++i) sum += load(mirrored(i, length));
  for (int i = 0; i < length; ++i) {
    store(i, mean(sum));
    sum += static_cast<std::uint32_t>(load(mirrored(i + radius + 1, length))) -
           load(mirrored(i - radius, length));
  }
}

/// Returns the index in BlurScratch::even and BlurScratch::odd of the first mean of this block's
/// mask (blockIdx.y) and component (blockIdx.z).
__device__ std::uint32_t scratch_of(const BlurScratch& scratch, const HideMask& mask) {
  return scratch.begin[blockIdx.y] + scratch_offset(mask, blockIdx.z);
}

// Each thread filters a row. It does all passes itself, because no row depends on another.
template <class Sample>
__global__ void __launch_bounds__(kBlurThreads)
    blur_rows_kernel(const __grid_constant__ HideBatch batch,
                     const __grid_constant__ BlurScratch scratch) {
  const HideMask& mask = batch.masks[blockIdx.y];
  const Component<Sample> component(batch.planes, blockIdx.z);
  const PixelRect samples = component.grid.samples_of(mask.area);
  const int y = samples.y1 + static_cast<int>(blockIdx.x * kBlurThreads + threadIdx.x);
  if (y >= samples.y2) return;
  const int width = samples.x2 - samples.x1;
  const std::size_t begin = scratch_of(scratch, mask) +
                            static_cast<std::size_t>(y - samples.y1) * static_cast<unsigned>(width);
  std::uint16_t* const even = scratch.even + begin;
  std::uint16_t* const odd = scratch.odd + begin;
  const BoxMean mean(blockIdx.z == 0 ? mask.luma_radius.x : mask.chroma_radius.x);
  const SampleScale& scale = batch.planes.scale;
  filter_line(
      width, mean, [&](int x) { return scale.widened(component.at(samples.x1 + x, y)); },
      [&](int x, std::uint16_t value) { even[x] = value; });
  filter_line(
      width, mean, [&](int x) { return even[x]; },
      [&](int x, std::uint16_t value) { odd[x] = value; });
  filter_line(
      width, mean, [&](int x) { return odd[x]; },
      [&](int x, std::uint16_t value) { even[x] = value; });
}

// Each thread filters a column in the same way.
template <class Sample>
__global__ void __launch_bounds__(kBlurThreads)
    blur_columns_kernel(const __grid_constant__ HideBatch batch,
                        const __grid_constant__ BlurScratch scratch) {
  const HideMask& mask = batch.masks[blockIdx.y];
  const Component<Sample> component(batch.planes, blockIdx.z);
  const PixelRect samples = component.grid.samples_of(mask.area);
  const int x = samples.x1 + static_cast<int>(blockIdx.x * kBlurThreads + threadIdx.x);
  if (x >= samples.x2) return;
  const auto width = static_cast<std::ptrdiff_t>(samples.x2 - samples.x1);
  const int height = samples.y2 - samples.y1;
  const std::ptrdiff_t begin =
      static_cast<std::ptrdiff_t>(scratch_of(scratch, mask)) + (x - samples.x1);
  std::uint16_t* const even = scratch.even + begin;
  std::uint16_t* const odd = scratch.odd + begin;
  const BoxMean mean(blockIdx.z == 0 ? mask.luma_radius.y : mask.chroma_radius.y);
  filter_line(
      height, mean, [&](int y) { return even[y * width]; },
      [&](int y, std::uint16_t value) { odd[y * width] = value; });
  filter_line(
      height, mean, [&](int y) { return odd[y * width]; },
      [&](int y, std::uint16_t value) { even[y * width] = value; });
  filter_line(
      height, mean, [&](int y) { return even[y * width]; },
      [&](int row, std::uint16_t value) {
        const int y = samples.y1 + row;
        const ColumnSpan columns =
            masked_samples(mask, mask.area, batch.planes.cell, component.grid, y);
        if (columns.x1 <= x && x < columns.x2)
          component.at(x, y) = static_cast<Sample>(batch.planes.scale.narrowed(value));
      });
}

unsigned blocks_for(int lines) {
  return (static_cast<unsigned>(lines) + kBlurThreads - 1) / kBlurThreads;
}

}  // namespace

void launch_hide_color(const HideBatch& batch, const YuvColor& color, cudaStream_t stream) {
  const dim3 grid(kPaintBlocks, batch.count, kComponents);
  if (batch.planes.wide())
    color_kernel<std::uint16_t><<<grid, kPaintThreads, 0, stream>>>(batch, color);
  else
    color_kernel<std::uint8_t><<<grid, kPaintThreads, 0, stream>>>(batch, color);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_hide_mosaic(const HideBatch& batch, cudaStream_t stream) {
  const dim3 grid(kMosaicCells * kMosaicCells, batch.count);
  if (batch.planes.wide())
    mosaic_kernel<std::uint16_t><<<grid, kMosaicThreads, 0, stream>>>(batch);
  else
    mosaic_kernel<std::uint8_t><<<grid, kMosaicThreads, 0, stream>>>(batch);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_hide_image(const HideBatch& batch, const ImageLevels& image, cudaStream_t stream) {
  const dim3 grid(kPaintBlocks, batch.count, kComponents);
  if (batch.planes.wide())
    image_kernel<std::uint16_t><<<grid, kPaintThreads, 0, stream>>>(batch, image);
  else
    image_kernel<std::uint8_t><<<grid, kPaintThreads, 0, stream>>>(batch, image);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_hide_blur(const HideBatch& batch, const BlurScratch& scratch, cudaStream_t stream) {
  const Size largest = batch.largest();
  const dim3 rows(blocks_for(largest.height), batch.count, kComponents);
  const dim3 columns(blocks_for(largest.width), batch.count, kComponents);
  if (batch.planes.wide()) {
    blur_rows_kernel<std::uint16_t><<<rows, kBlurThreads, 0, stream>>>(batch, scratch);
    blur_columns_kernel<std::uint16_t><<<columns, kBlurThreads, 0, stream>>>(batch, scratch);
  } else {
    blur_rows_kernel<std::uint8_t><<<rows, kBlurThreads, 0, stream>>>(batch, scratch);
    blur_columns_kernel<std::uint8_t><<<columns, kBlurThreads, 0, stream>>>(batch, scratch);
  }
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::overlay
