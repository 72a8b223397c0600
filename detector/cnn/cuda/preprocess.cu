#include "detector/cnn/cuda/preprocess.h"

#include <cuda_fp16.h>

#include "core/cuda/check.h"
#include "core/error.h"
#include "detector/cnn/cuda/filter_span.cuh"
#include "detector/cnn/cuda/picture.cuh"

namespace facepipe::detector::engine {
namespace {

constexpr int kBlockWidth = 64;
constexpr int kBlockHeight = 4;
constexpr int kTile = 32;      // pixels of a side of a lying picture's tile
constexpr int kTileLines = 8;  // lines of a tile that are computed at the same time

enum class Scaling { none, linear, area };

struct Arguments : Picture {
  const FrameDescriptor* frame;
  __half* output;
  int pitch;       ///< number of halves from one pixel to the next: 4 or 8
  int row_pixels;  ///< number of pixels in a row of the output
  int rows;
  int left;     ///< number of pixels before the first column
  int columns;  ///< number of pixels in a row of the network's input
  float pad;    ///< the level of the input beside the picture
  Size stored;
  int bgr;
  Scaling scaling;
};

/// Returns the weighted mean of the pixels from which a scaled pixel is computed.
__device__ Color scaled_color(const FrameDescriptor& frame, const Arguments& a, int x, int y) {
  const bool area = a.scaling == Scaling::area;
  const auto span = [&](int place, int from, int to) {
    return area ? area_span(place, from, to) : linear_span(place, from, to);
  };
  const FilterSpan across = span(x, a.stored.width, a.scaled.width);
  const FilterSpan down = span(y, a.stored.height, a.scaled.height);
  const float whole_x = static_cast<float>(a.scaled.width) / static_cast<float>(a.stored.width);
  const float whole_y = static_cast<float>(a.scaled.height) / static_cast<float>(a.stored.height);
  Color sum{0, 0, 0};
  for (int sy = down.first; sy <= down.last; ++sy)
    for (int sx = across.first; sx <= across.last; ++sx) {
      const float weight = weight_at(across, sx, whole_x) * weight_at(down, sy, whole_y);
      const Color color = color_at(frame, a, sx, sy);
      sum.r = fmaf(weight, color.r, sum.r);
      sum.g = fmaf(weight, color.g, sum.g);
      sum.b = fmaf(weight, color.b, sum.b);
    }
  return {as_byte(sum.r), as_byte(sum.g), as_byte(sum.b)};
}

/// Returns a colour as four halves of the output.
__device__ __forceinline__ uint2 halves_of(const Arguments& a, const Color& color) {
  const __half2 first = __floats2half2_rn(a.bgr != 0 ? color.b : color.r, color.g);
  const __half2 second = __floats2half2_rn(a.bgr != 0 ? color.r : color.b, 0.0F);
  return {reinterpret_cast<const unsigned&>(first), reinterpret_cast<const unsigned&>(second)};
}

__device__ __forceinline__ void write_pixel(const Arguments& a, int x, int y, const uint2& halves) {
  auto* const to = reinterpret_cast<uint2*>(
      a.output + (static_cast<long long>(y) * a.row_pixels + a.left + x) * a.pitch);
  to[0] = halves;
  if (a.pitch > Placement::kImagePitch) to[1] = {0, 0};
}

__device__ __forceinline__ bool in_output(const Arguments& a, int x, int y) {
  return x >= -a.left && x < a.row_pixels - a.left && y < a.rows;
}

/// Returns the colour outside of the picture. It is the padding's level within the network's input,
/// and black in the columns beside the input, which a convolution reads as its padding.
__device__ __forceinline__ Color beside_picture(const Arguments& a, int x) {
  const float level = x >= 0 && x < a.columns ? a.pad : 0.0F;
  return {level, level, level};
}

/// Copies the frame's descriptor to shared memory. All threads of the block must call it.
__device__ __forceinline__ void read_descriptor(FrameDescriptor& frame, const Arguments& a) {
  constexpr unsigned kWords = sizeof(FrameDescriptor) / sizeof(unsigned);
  static_assert(sizeof(FrameDescriptor) % sizeof(unsigned) == 0 &&
                kWords <= kBlockWidth * kBlockHeight && kWords <= kTile * kTileLines);
  const unsigned word = threadIdx.y * blockDim.x + threadIdx.x;
  if (word < kWords)
    reinterpret_cast<unsigned*>(&frame)[word] = reinterpret_cast<const unsigned*>(a.frame)[word];
  __syncthreads();
}

/// Returns the colour of a pixel of the output, for pictures of any orientation and scale.
__device__ __forceinline__ Color output_color(const FrameDescriptor& frame, const Arguments& a,
                                              int x, int y) {
  if (!in_content(a, x, y)) return beside_picture(a, x);
  const int2 place = stored_pixel(x, y, a);
  return a.scaling == Scaling::none ? color_at(frame, a, place.x, place.y)
                                    : scaled_color(frame, a, place.x, place.y);
}

/// Returns the cell of 2x2 pixels that the thread computes. The first column of cells lies to the
/// left of the picture.
__device__ __forceinline__ int2 cell_of_thread() {
  return {static_cast<int>(blockIdx.x) * kBlockWidth + static_cast<int>(threadIdx.x) - 1,
          static_cast<int>(blockIdx.y) * kBlockHeight + static_cast<int>(threadIdx.y)};
}

/// Preprocesses pictures of any scale whose rows are rows of the output.
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    preprocess_kernel(const __grid_constant__ Arguments a) {
  __shared__ FrameDescriptor frame;
  read_descriptor(frame, a);
  const int2 cell = cell_of_thread();
  for (int i = 0; i < 4; ++i) {
    const int x = 2 * cell.x + i % 2;
    const int y = 2 * cell.y + i / 2;
    if (in_output(a, x, y)) write_pixel(a, x, y, halves_of(a, output_color(frame, a, x, y)));
  }
}

/// Preprocesses lying pictures of any scale: they are turned by 90 or 270 degrees, so their rows
/// are columns of the output. A block computes a tile of the output. First, neighbouring threads
/// read neighbouring pixels of a row of the picture, and so compute a column of the tile, in shared
/// memory. Then they write rows of the tile.
__global__ void __launch_bounds__(kTile* kTileLines)
    preprocess_lying_kernel(const __grid_constant__ Arguments a) {
  __shared__ FrameDescriptor frame;
  // One more pixel in a row, so that the pixels of a column are in different banks.
  __shared__ uint2 tile[kTile][kTile + 1];
  read_descriptor(frame, a);
  const int left = static_cast<int>(blockIdx.x) * kTile - a.left;
  const int top = static_cast<int>(blockIdx.y) * kTile;
  const int thread = static_cast<int>(threadIdx.x);
  for (int column = static_cast<int>(threadIdx.y); column < kTile; column += kTileLines)
    if (in_output(a, left + column, top + thread))
      tile[thread][column] = halves_of(a, output_color(frame, a, left + column, top + thread));
  __syncthreads();
  for (int row = static_cast<int>(threadIdx.y); row < kTile; row += kTileLines)
    if (in_output(a, left + thread, top + row))
      write_pixel(a, left + thread, top + row, tile[row][thread]);
}

/// Preprocesses pictures that are neither turned nor mirrored nor scaled. The four pixels of a
/// thread share their chroma.
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    preprocess_plain_kernel(const __grid_constant__ Arguments a) {
  __shared__ FrameDescriptor frame;
  read_descriptor(frame, a);
  const int2 cell = cell_of_thread();
  Color chroma{0, 0, 0};
  if (in_content(a, 2 * cell.x, 2 * cell.y)) chroma = chroma_at(frame, a, cell.x, cell.y);
  Color colors[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int x = 2 * cell.x + i % 2;
    const int y = 2 * cell.y + i / 2;
    colors[i] = in_content(a, x, y) ? color_of(frame, a, chroma, x, y) : beside_picture(a, x);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int x = 2 * cell.x + i % 2;
    const int y = 2 * cell.y + i / 2;
    if (in_output(a, x, y)) write_pixel(a, x, y, halves_of(a, colors[i]));
  }
}

Scaling scaling_of(Size stored, Size scaled) {
  if (stored == scaled) return Scaling::none;
  return 2 * scaled.width <= stored.width ? Scaling::area : Scaling::linear;
}

unsigned divide_up(int value, int by) { return static_cast<unsigned>((value + by - 1) / by); }

dim3 grid_for(const Arguments& a) {
  // Number of cells in a row. The first cell lies to the left of the picture.
  const int cells = 1 + (a.row_pixels - a.left + 1) / 2;
  return {divide_up(cells, kBlockWidth), divide_up(a.rows, 2 * kBlockHeight)};
}

}  // namespace

PreprocessKernel::PreprocessKernel(const PictureSource& picture, const Placement& input)
    : picture_(picture), input_(input) {
  const StreamLayout& layout = picture.layout;
  const PixelFormat& format = layout.format;
  if (!format.semi_planar || !format.has_chroma || format.log2_chroma_w != 1 ||
      format.log2_chroma_h != 1 || format.bits < 8 || format.bits + format.shift > 16)
    throw Error(ErrorKind::device, "detector: the CUDA engine takes only NV12 and P016");
  if (upright_size(layout.stored, layout.orientation) != picture.fit.frame)
    throw Error(ErrorKind::internal, "detector: the stream's size is not that of the network");
}

void PreprocessKernel::enqueue(const FrameDescriptor* frame, std::byte* activations,
                               cuda::StreamView stream) const {
  if (frame == nullptr) throw Error(ErrorKind::internal, "detector: the frame is null");
  Arguments a{};
  static_cast<Picture&>(a) = picture_of(picture_);
  a.frame = frame;
  a.output = value_pointer<__half>({activations, nullptr}, input_);
  a.pitch = input_.pitch;
  a.row_pixels = input_.row_pixels();
  a.rows = input_.shape.height;
  a.left = input_.image ? 1 : 0;
  a.columns = input_.shape.width;
  a.pad = static_cast<float>(picture_.pad);
  a.stored = picture_.layout.stored;
  a.bgr = picture_.order == ChannelOrder::bgr ? 1 : 0;
  a.scaling = scaling_of(a.stored, a.scaled);
  const dim3 block(kBlockWidth, kBlockHeight);
  if (a.scaling == Scaling::none && a.orientation.upright()) {
    preprocess_plain_kernel<<<grid_for(a), block, 0, stream.get()>>>(a);
  } else if (a.orientation.swaps_axes()) {
    const dim3 tiles(divide_up(a.row_pixels, kTile), divide_up(a.rows, kTile));
    preprocess_lying_kernel<<<tiles, dim3(kTile, kTileLines), 0, stream.get()>>>(a);
  } else {
    preprocess_kernel<<<grid_for(a), block, 0, stream.get()>>>(a);
  }
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::detector::engine
