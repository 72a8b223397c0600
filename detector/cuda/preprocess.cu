#include "detector/cuda/preprocess.h"

#include <cuda_fp16.h>

#include <stdexcept>

#include "core/cuda/check.h"
#include "core/error.h"

namespace facepipe::engine {
namespace {

constexpr int kBlockWidth = 64;
constexpr int kBlockHeight = 4;

enum class Scaling { none, linear, area };

struct Arguments {
  const FrameDescriptor* frame;
  __half* output;
  int pitch;       ///< halves a pixel, 4 or 8
  int row_pixels;  ///< of the output
  int rows;
  int left;      ///< pixels before the first column
  Size content;  ///< upright
  Size scaled;   ///< the content as it is stored
  Size stored;
  Orientation orientation;
  int shift;
  int wide;  ///< samples of 16 bits
  int bgr;
  Scaling scaling;
};

struct Colour {
  float r;
  float g;
  float b;
};

__device__ __forceinline__ float sample(const std::byte* row, int index, const Arguments& a) {
  if (a.wide != 0)
    return static_cast<float>(reinterpret_cast<const std::uint16_t*>(row)[index] >> a.shift);
  return static_cast<float>(reinterpret_cast<const std::uint8_t*>(row)[index]);
}

/// A value of 0..255 as a byte would hold it. The sum has no bits left for fractions; rintf() would
/// run at a quarter of the rate.
__device__ __forceinline__ float as_byte(float value) {
  constexpr float kNoFraction = 8388608.0F;
  return __fadd_rn(__fadd_rn(fminf(fmaxf(value, 0.0F), 255.0F), kNoFraction), -kNoFraction);
}

/// What the chroma of a cell of 2x2 pixels adds to each colour.
__device__ __forceinline__ Colour chroma_at(const FrameDescriptor& frame, const Arguments& a,
                                            int column, int row) {
  const std::byte* const chroma = frame.chroma + static_cast<long long>(row) * frame.chroma_stride;
  const float u = sample(chroma, 2 * column, a);
  const float v = sample(chroma, 2 * column + 1, a);
  const auto part = [&](int i) {
    const float* const m = frame.to_rgb[i];
    return fmaf(m[1], u, fmaf(m[2], v, m[3]));
  };
  return {part(0), part(1), part(2)};
}

__device__ __forceinline__ Colour colour_of(const FrameDescriptor& frame, const Arguments& a,
                                            const Colour& chroma, int x, int y) {
  const float luma = sample(frame.luma + static_cast<long long>(y) * frame.luma_stride, x, a);
  return {as_byte(fmaf(frame.to_rgb[0][0], luma, chroma.r)),
          as_byte(fmaf(frame.to_rgb[1][0], luma, chroma.g)),
          as_byte(fmaf(frame.to_rgb[2][0], luma, chroma.b))};
}

__device__ __forceinline__ Colour colour_at(const FrameDescriptor& frame, const Arguments& a, int x,
                                            int y) {
  return colour_of(frame, a, chroma_at(frame, a, x / 2, y / 2), x, y);
}

/// Weights of one axis, as cv::resize takes them: pixels first..last, all whole but the ends.
struct Reach {
  int first;
  int last;
  float first_weight;
  float last_weight;  ///< of `last`, where it isn't `first`
};

__device__ __forceinline__ Reach linear_reach(int place, int from, int to) {
  const float scale = static_cast<float>(from) / static_cast<float>(to);
  const float centre = (static_cast<float>(place) + 0.5F) * scale - 0.5F;
  const int first = static_cast<int>(floorf(centre));
  const float fraction = centre - static_cast<float>(first);
  if (first < 0) return {0, 0, 1, 0};
  if (first >= from - 1) return {from - 1, from - 1, 1, 0};
  return {first, first + 1, 1 - fraction, fraction};
}

__device__ __forceinline__ Reach area_reach(int place, int from, int to) {
  const double scale = static_cast<double>(from) / to;
  const double begin = place * scale;
  const double end = fmin(begin + scale, static_cast<double>(from));
  const int first = static_cast<int>(begin);
  int last = static_cast<int>(ceil(end)) - 1;
  last = min(max(last, first), from - 1);
  const auto part = [&](int pixel) {
    return static_cast<float>((fmin(end, pixel + 1.0) - fmax(begin, static_cast<double>(pixel))) /
                              (end - begin));
  };
  return {first, last, part(first), part(last)};
}

__device__ __forceinline__ float weight_at(const Reach& reach, int pixel, float whole) {
  if (pixel == reach.first) return reach.first_weight;
  return pixel == reach.last ? reach.last_weight : whole;
}

/// Weighted mean of the pixels that a scaled one covers.
__device__ Colour scaled_colour(const FrameDescriptor& frame, const Arguments& a, int x, int y) {
  const bool area = a.scaling == Scaling::area;
  const auto reach = [&](int place, int from, int to) {
    return area ? area_reach(place, from, to) : linear_reach(place, from, to);
  };
  const Reach across = reach(x, a.stored.width, a.scaled.width);
  const Reach down = reach(y, a.stored.height, a.scaled.height);
  const float whole_x = static_cast<float>(a.scaled.width) / static_cast<float>(a.stored.width);
  const float whole_y = static_cast<float>(a.scaled.height) / static_cast<float>(a.stored.height);
  Colour sum{0, 0, 0};
  for (int sy = down.first; sy <= down.last; ++sy)
    for (int sx = across.first; sx <= across.last; ++sx) {
      const float weight = weight_at(across, sx, whole_x) * weight_at(down, sy, whole_y);
      const Colour colour = colour_at(frame, a, sx, sy);
      sum.r = fmaf(weight, colour.r, sum.r);
      sum.g = fmaf(weight, colour.g, sum.g);
      sum.b = fmaf(weight, colour.b, sum.b);
    }
  return {as_byte(sum.r), as_byte(sum.g), as_byte(sum.b)};
}

/// The stored place of an upright one: core/geometry.h's Orientation backwards.
__device__ __forceinline__ int2 stored_place(int x, int y, const Arguments& a) {
  int2 place{x, y};
  switch (a.orientation.quarter_turns) {
    case 1:
      place = {y, a.scaled.height - 1 - x};
      break;
    case 2:
      place = {a.scaled.width - 1 - x, a.scaled.height - 1 - y};
      break;
    case 3:
      place = {a.scaled.width - 1 - y, x};
      break;
    default:
      break;
  }
  if (a.orientation.mirrored) place.x = a.scaled.width - 1 - place.x;
  return place;
}

__device__ __forceinline__ void write_pixel(const Arguments& a, int x, int y,
                                            const Colour& colour) {
  const __half2 first = __floats2half2_rn(a.bgr != 0 ? colour.b : colour.r, colour.g);
  const __half2 second = __floats2half2_rn(a.bgr != 0 ? colour.r : colour.b, 0.0F);
  auto* const to = reinterpret_cast<uint2*>(
      a.output + (static_cast<long long>(y) * a.row_pixels + a.left + x) * a.pitch);
  to[0] = {reinterpret_cast<const unsigned&>(first), reinterpret_cast<const unsigned&>(second)};
  if (a.pitch > Placement::kImagePitch) to[1] = {0, 0};
}

__device__ __forceinline__ bool in_output(const Arguments& a, int x, int y) {
  return x >= -a.left && x < a.row_pixels - a.left && y < a.rows;
}
__device__ __forceinline__ bool in_content(const Arguments& a, int x, int y) {
  return x >= 0 && x < a.content.width && y < a.content.height;
}

/// All threads of a block call it: the frame's descriptor in shared memory.
__device__ __forceinline__ void read_descriptor(FrameDescriptor& frame, const Arguments& a) {
  constexpr unsigned kWords = sizeof(FrameDescriptor) / sizeof(unsigned);
  static_assert(sizeof(FrameDescriptor) % sizeof(unsigned) == 0 && kWords <= kBlockWidth);
  if (threadIdx.y == 0 && threadIdx.x < kWords)
    reinterpret_cast<unsigned*>(&frame)[threadIdx.x] =
        reinterpret_cast<const unsigned*>(a.frame)[threadIdx.x];
  __syncthreads();
}

/// Cell of 2x2 pixels of a thread; the first column of cells lies to the left of the picture.
__device__ __forceinline__ int2 cell_of_thread() {
  return {static_cast<int>(blockIdx.x) * kBlockWidth + static_cast<int>(threadIdx.x) - 1,
          static_cast<int>(blockIdx.y) * kBlockHeight + static_cast<int>(threadIdx.y)};
}

/// Any orientation and scale.
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    preprocess_kernel(const __grid_constant__ Arguments a) {
  __shared__ FrameDescriptor frame;
  read_descriptor(frame, a);
  const int2 cell = cell_of_thread();
  for (int i = 0; i < 4; ++i) {
    const int x = 2 * cell.x + i % 2;
    const int y = 2 * cell.y + i / 2;
    if (!in_output(a, x, y)) continue;
    Colour colour{0, 0, 0};
    if (in_content(a, x, y)) {
      const int2 place = stored_place(x, y, a);
      colour = a.scaling == Scaling::none ? colour_at(frame, a, place.x, place.y)
                                          : scaled_colour(frame, a, place.x, place.y);
    }
    write_pixel(a, x, y, colour);
  }
}

/// The picture as it is stored: a thread's pixels share their chroma.
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    preprocess_plain_kernel(const __grid_constant__ Arguments a) {
  __shared__ FrameDescriptor frame;
  read_descriptor(frame, a);
  const int2 cell = cell_of_thread();
  Colour chroma{0, 0, 0};
  if (in_content(a, 2 * cell.x, 2 * cell.y)) chroma = chroma_at(frame, a, cell.x, cell.y);
  Colour colours[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int x = 2 * cell.x + i % 2;
    const int y = 2 * cell.y + i / 2;
    colours[i] = in_content(a, x, y) ? colour_of(frame, a, chroma, x, y) : Colour{0, 0, 0};
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int x = 2 * cell.x + i % 2;
    const int y = 2 * cell.y + i / 2;
    if (in_output(a, x, y)) write_pixel(a, x, y, colours[i]);
  }
}

Scaling scaling_of(Size stored, Size scaled) {
  if (stored == scaled) return Scaling::none;
  return 2 * scaled.width <= stored.width ? Scaling::area : Scaling::linear;
}

dim3 grid_for(const Arguments& a) {
  const auto divide_up = [](int value, int by) {
    return static_cast<unsigned>((value + by - 1) / by);
  };
  const int cells =
      1 + (a.row_pixels - a.left + 1) / 2;  // of a row, one to the left of the picture
  return {divide_up(cells, kBlockWidth), divide_up(a.rows, 2 * kBlockHeight)};
}

}  // namespace

PreprocessKernel::PreprocessKernel(const NetworkFit& fit, const StreamLayout& layout,
                                   ChannelOrder order, const Placement& input)
    : fit_(fit), layout_(layout), order_(order), input_(input) {
  const PixelFormat& format = layout.format;
  if (!format.semi_planar || !format.has_chroma || format.log2_chroma_w != 1 ||
      format.log2_chroma_h != 1 || format.bits < 8 || format.bits + format.shift > 16)
    throw Error(ErrorKind::device, "detector: the CUDA engine takes NV12 and P016 alone");
  if (upright_size(layout.stored, layout.orientation) != fit.frame)
    throw Error(ErrorKind::internal, "detector: a stream of another size than its network's");
}

void PreprocessKernel::enqueue(const FrameDescriptor* frame, std::byte* activations,
                               cuda::StreamView stream) const {
  if (frame == nullptr) throw std::invalid_argument("frame is null");
  Arguments a{};
  a.frame = frame;
  a.output = value_pointer<__half>({activations, nullptr}, input_);
  a.pitch = input_.pitch;
  a.row_pixels = input_.row_pixels();
  a.rows = input_.shape.height;
  a.left = input_.image ? 1 : 0;
  a.content = fit_.content;
  a.scaled = upright_size(fit_.content, layout_.orientation);  // its own inverse
  a.stored = layout_.stored;
  a.orientation = layout_.orientation;
  a.shift = layout_.format.shift;
  a.wide = layout_.format.bytes_per_sample() == 2 ? 1 : 0;
  a.bgr = order_ == ChannelOrder::bgr ? 1 : 0;
  a.scaling = scaling_of(a.stored, a.scaled);
  const dim3 block(kBlockWidth, kBlockHeight);
  const dim3 grid = grid_for(a);
  if (a.scaling == Scaling::none && a.orientation.upright())
    preprocess_plain_kernel<<<grid, block, 0, stream.get()>>>(a);
  else
    preprocess_kernel<<<grid, block, 0, stream.get()>>>(a);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::engine
