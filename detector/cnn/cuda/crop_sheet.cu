#include <cstdint>

#include "core/cuda/check.h"
#include "core/error.h"
#include "detector/cnn/cuda/crop_sheet.h"
#include "detector/cnn/cuda/filter_span.cuh"
#include "detector/cnn/cuda/picture.cuh"

namespace facepipe::detector {
namespace {

using engine::area_span_of;
using engine::FilterSpan;
using engine::linear_span_at;
using engine::Picture;
using engine::weight_at;

constexpr int kBlockSide = 16;  // cells of 2 x 2 pixels
constexpr int kScoreThreads = 128;
constexpr std::uint8_t kGreyChroma = 128;
constexpr int kCellsOfCrop = kCropSide / 2;
static_assert(kCropSide % 2 == 0, "a cell of chroma must not lie in two crops");
static_assert(kCropSide % (2 * kBlockSide) == 0, "a block must not draw two crops");

/// Returns the number of bytes of a sheet's luma.
std::size_t luma_bytes(CropGrid grid) {
  return static_cast<std::size_t>(grid.size().width) * static_cast<std::size_t>(grid.size().height);
}

/// A plane of the frame: luma, or one of the two channels of chroma.
struct Channel {
  const std::byte* samples;
  int stride;  ///< bytes from row to row
  int step;    ///< samples from pixel to pixel
  int offset;  ///< samples before the first one
  int part;    ///< 1 for luma, 2 for chroma: pixels of the frame on each side of a sample
};

/// Scales part of a channel to a pixel of the sheet.
struct Scaler {
  const Picture& picture;
  float to_byte;  ///< samples times this have 8 bits

  /// Returns the pixels of one axis that a square of the sheet shows. The pixels count from
  /// CropRange::from on, in samples of the channel.
  /// @param place, side  the square's first pixel in the sheet, and its size
  __device__ FilterSpan span(const CropRange& range, float place, float side, int part) const {
    const int pixels = max((range.to - range.from) / part, 1);
    const double scale =
        static_cast<double>(range.to - range.from) / part / static_cast<double>(range.length);
    const double begin = fmax((place - static_cast<float>(range.offset)) * scale, 0.0);
    const double end = begin + side * scale;
    if (end - begin >= 2) return area_span_of(fmin(begin, pixels - 1.0), end, pixels);
    return linear_span_at(static_cast<float>((begin + end) / 2 - 0.5), pixels);
  }

  __device__ float sample_at(const Channel& from, int x, int y) const {
    const int2 stored = engine::stored_pixel(x * from.part, y * from.part, picture);
    const std::byte* const row =
        from.samples + static_cast<long long>(stored.y / from.part) * from.stride;
    return engine::sample(row, stored.x / from.part * from.step + from.offset, picture);
  }

  __device__ std::uint8_t value(const Channel& from, const Crop& crop, const FilterSpan& across,
                                const FilterSpan& down) const {
    const auto whole = [](const FilterSpan& span) {
      const int between = span.last - span.first - 1;
      return between > 0 ? (1 - span.first_weight - span.last_weight) / static_cast<float>(between)
                         : 0.0F;
    };
    const float whole_x = whole(across);
    const float whole_y = whole(down);
    float sum = 0;
    for (int y = down.first; y <= down.last; ++y)
      for (int x = across.first; x <= across.last; ++x)
        sum = fmaf(weight_at(across, x, whole_x) * weight_at(down, y, whole_y),
                   sample_at(from, crop.x.from / from.part + x, crop.y.from / from.part + y), sum);
    return static_cast<std::uint8_t>(engine::as_byte(sum * to_byte));
  }
};

__device__ bool shows(const CropRange& range, int place) {
  return place >= range.offset && place < range.offset + range.length;
}

/// The parts of a SheetWork that one block needs.
struct BlockWork {
  FrameDescriptor frame;
  Crop crop;
};

/// Each thread draws a cell of 2 x 2 pixels. All cells of a block lie in one crop.
__global__ void __launch_bounds__(kBlockSide* kBlockSide)
    draw_kernel(const SheetWork* work, const __grid_constant__ Picture picture, float to_byte,
                int columns) {
  const int cell_x = static_cast<int>(blockIdx.x) * kBlockSide + static_cast<int>(threadIdx.x);
  const int cell_y = static_cast<int>(blockIdx.y) * kBlockSide + static_cast<int>(threadIdx.y);
  const int place = cell_y / kCellsOfCrop * columns + cell_x / kCellsOfCrop;
  const bool drawn = place < work->crops;
  __shared__ BlockWork block;
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    block.frame = work->frame;
    block.crop = work->crop[place];
  }
  __syncthreads();
  const Crop& crop = block.crop;
  const Scaler scaler{picture, to_byte};
  const Channel luma{block.frame.luma, block.frame.luma_stride, 1, 0, 1};
  std::byte* const to = work->sheet.luma;
  for (int i = 0; i < 4; ++i) {
    const int x = 2 * cell_x + i % 2;
    const int y = 2 * cell_y + i / 2;
    std::uint8_t value = static_cast<std::uint8_t>(work->black);
    if (drawn && shows(crop.x, x) && shows(crop.y, y))
      value = scaler.value(luma, crop, scaler.span(crop.x, static_cast<float>(x), 1, 1),
                           scaler.span(crop.y, static_cast<float>(y), 1, 1));
    to[y * work->sheet.luma_stride + x] = static_cast<std::byte>(value);
  }
  std::byte* const chroma = work->sheet.chroma + cell_y * work->sheet.chroma_stride + 2 * cell_x;
  const bool shown = drawn && shows(crop.x, 2 * cell_x) && shows(crop.y, 2 * cell_y);
  for (int channel = 0; channel < 2; ++channel) {
    std::uint8_t value = kGreyChroma;
    if (shown) {
      const Channel from{block.frame.chroma, block.frame.chroma_stride, 2, channel, 2};
      value = scaler.value(from, crop, scaler.span(crop.x, static_cast<float>(2 * cell_x), 2, 2),
                           scaler.span(crop.y, static_cast<float>(2 * cell_y), 2, 2));
    }
    chroma[channel] = static_cast<std::byte>(value);
  }
}

__global__ void __launch_bounds__(kScoreThreads)
    score_kernel(const SheetWork* work, const __grid_constant__ cuda::DeviceDetections found,
                 SheetScores* scores) {
  // The bits of floats that are not negative rise with the floats.
  __shared__ int best[kMostCrops];
  if (threadIdx.x < kMostCrops) best[threadIdx.x] = 0;
  __syncthreads();
  const unsigned count = min(*found.count, found.capacity);
  for (unsigned i = threadIdx.x; i < count; i += kScoreThreads)
    for (int place = 0; place < work->crops; ++place)
      if (fits_face(found.boxes[i], work->crop[place].face))
        atomicMax(&best[place], __float_as_int(found.scores[i]));
  __syncthreads();
  if (threadIdx.x < kMostCrops) scores->of_place[threadIdx.x] = __int_as_float(best[threadIdx.x]);
}

}  // namespace

CudaCropSheet::CudaCropSheet(CropGrid grid) : grid_(grid), samples_(luma_bytes(grid) * 3 / 2) {
  if (grid.places() > kMostCrops) throw Error(ErrorKind::internal, "a sheet of too many crops");
}

void CudaCropSheet::describe(const ColorInfo& color, Size frame, SheetWork& work) const {
  work.sheet.luma = samples_.data();
  work.sheet.chroma = samples_.data() + luma_bytes(grid_);
  work.sheet.luma_stride = grid_.size().width;
  work.sheet.chroma_stride = grid_.size().width;
  // The matrix can depend on the frame's size, so it isn't chosen by the sheet's.
  fill_to_rgb(work.sheet, color, layout(grid_).format, frame);
  work.black = color.full_range ? 0 : 16;
}

void CudaCropSheet::enqueue(const SheetWork* work, const StreamLayout& frames,
                            cuda::StreamView stream) const {
  Picture picture{};
  picture.scaled = frames.stored;
  picture.orientation = frames.orientation;
  picture.shift = frames.format.shift;
  picture.wide = frames.format.bytes_per_sample() == 2 ? 1 : 0;
  const float to_byte = 1.0F / static_cast<float>(1U << (frames.format.bits - 8));
  const dim3 blocks(static_cast<unsigned>(grid_.size().width / 2 / kBlockSide),
                    static_cast<unsigned>(grid_.size().height / 2 / kBlockSide));
  draw_kernel<<<blocks, dim3(kBlockSide, kBlockSide), 0, stream.get()>>>(work, picture, to_byte,
                                                                         grid_.columns);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void enqueue_sheet_scores(const SheetWork* work, const cuda::DeviceDetections& found,
                          SheetScores* scores, cuda::StreamView stream) {
  score_kernel<<<1, kScoreThreads, 0, stream.get()>>>(work, found, scores);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::detector
