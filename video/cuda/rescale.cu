#include <algorithm>

#include "core/cuda/check.h"
#include "core/error.h"
#include "video/cuda/pictures.h"
#include "video/cuda/rescale.h"

namespace facepipe::video {
namespace {

constexpr unsigned kColumns = 32;
constexpr unsigned kRows = 8;

/// Holds the number of samples along one axis of a plane, before and after scaling.
struct Axis {
  int from;
  int to;
};

/// Describes the samples from which one new sample is computed, and their weights.
class Taps {
 public:
  // The middle of new sample i lies at (i + 1/2) * from / to - 1/2. This position is computed
  // exactly, in integers. The products stay below 2^31 for up to 32,767 samples.
  __device__ Taps(Axis axis, int i)
      : stretch_(axis.from > axis.to ? static_cast<float>(axis.from) / axis.to : 1.0F),
        last_(axis.from - 1) {
    const int middle = (2 * i + 1) * axis.from - axis.to;
    const int base = middle >= 0 ? middle / (2 * axis.to) : -((-middle - 1) / (2 * axis.to) + 1);
    const int rest = middle - base * 2 * axis.to;
    fraction_ = static_cast<float>(rest) / static_cast<float>(2 * axis.to);
    const int reach = static_cast<int>(ceilf(2 * stretch_));
    base_ = base;
    begin_ = base - reach + 1;
    end_ = base + reach + 1;
  }

  /// Returns the weighted mean of the samples at(i), where i is in 0..from - 1.
  template <class At>
  __device__ float mean(const At& at) const {
    float sum = 0;
    float weights = 0;
    for (int i = begin_; i < end_; ++i) {
      const float weight = cubic((static_cast<float>(i - base_) - fraction_) / stretch_);
      sum += weight * at(min(max(i, 0), last_));
      weights += weight;
    }
    return sum / weights;
  }

 private:
  __device__ static float cubic(float distance) {
    const float x = fabsf(distance);
    if (x < 1) return (1.4F * x - 2.4F) * x * x + 1;
    return x < 2 ? ((-0.6F * x + 3) * x - 4.8F) * x + 2.4F : 0;
  }

  float stretch_;
  float fraction_;
  int last_;
  int base_;
  int begin_;
  int end_;
};

/// Maps the codes of one sample format to the codes of another: code * gain + offset.
struct Recode {
  float gain;
  float offset;
};

/// Describes the work on one plane. A pair of chroma samples counts as one sample with two
/// channels.
struct PlaneWork {
  Plane from;
  Plane to;
  Axis columns;
  Axis rows;
  int from_shift;
  int to_shift;
  int highest;  ///< largest code of the target
  Recode recode;
  float* scratch;  ///< [rows.from][columns.to][channels]
};

template <class Sample, int kChannels>
__global__ void __launch_bounds__(kColumns* kRows)
    columns_kernel(const __grid_constant__ PlaneWork work) {
  const int x = static_cast<int>(blockIdx.x * kColumns + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kRows + threadIdx.y);
  if (x >= work.columns.to || y >= work.rows.from) return;
  const auto* const row = reinterpret_cast<const Sample*>(work.from.data + y * work.from.stride);
  float* const to =
      work.scratch + (static_cast<std::ptrdiff_t>(y) * work.columns.to + x) * kChannels;
  const Taps taps(work.columns, x);
#pragma unroll
  for (int channel = 0; channel < kChannels; ++channel)
    to[channel] = taps.mean(
        [&](int i) { return static_cast<float>(row[i * kChannels + channel] >> work.from_shift); });
}

template <class Sample, int kChannels>
__global__ void __launch_bounds__(kColumns* kRows)
    rows_kernel(const __grid_constant__ PlaneWork work) {
  const int x = static_cast<int>(blockIdx.x * kColumns + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kRows + threadIdx.y);
  if (x >= work.columns.to || y >= work.rows.to) return;
  auto* const row = reinterpret_cast<Sample*>(work.to.data + y * work.to.stride);
  const Taps taps(work.rows, y);
#pragma unroll
  for (int channel = 0; channel < kChannels; ++channel) {
    const float code = taps.mean([&](int i) {
      return work
          .scratch[(static_cast<std::ptrdiff_t>(i) * work.columns.to + x) * kChannels + channel];
    });
    const float recoded = rintf(code * work.recode.gain + work.recode.offset);
    const int clamped = min(max(static_cast<int>(recoded), 0), work.highest);
    row[x * kChannels + channel] = static_cast<Sample>(clamped << work.to_shift);
  }
}

template <class Sample>
__global__ void __launch_bounds__(kColumns* kRows)
    fill_kernel(Plane plane, int columns, int rows, Sample sample) {
  const int x = static_cast<int>(blockIdx.x * kColumns + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kRows + threadIdx.y);
  if (x >= columns || y >= rows) return;
  reinterpret_cast<Sample*>(plane.data + y * plane.stride)[x] = sample;
}

dim3 grid_of(int columns, int rows) {
  return dim3((static_cast<unsigned>(columns) + kColumns - 1) / kColumns,
              (static_cast<unsigned>(rows) + kRows - 1) / kRows);
}

template <int kChannels>
void launch_plane(const PlaneWork& work, bool wide_from, bool wide_to, cudaStream_t stream) {
  const dim3 block(kColumns, kRows);
  const dim3 first = grid_of(work.columns.to, work.rows.from);
  const dim3 second = grid_of(work.columns.to, work.rows.to);
  if (wide_from)
    columns_kernel<std::uint16_t, kChannels><<<first, block, 0, stream>>>(work);
  else
    columns_kernel<std::uint8_t, kChannels><<<first, block, 0, stream>>>(work);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
  if (wide_to)
    rows_kernel<std::uint16_t, kChannels><<<second, block, 0, stream>>>(work);
  else
    rows_kernel<std::uint8_t, kChannels><<<second, block, 0, stream>>>(work);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_fill(const Plane& plane, Size samples, unsigned sample, bool wide,
                 cudaStream_t stream) {
  const dim3 block(kColumns, kRows);
  const dim3 grid = grid_of(samples.width, samples.height);
  if (wide)
    fill_kernel<std::uint16_t><<<grid, block, 0, stream>>>(plane, samples.width, samples.height,
                                                           static_cast<std::uint16_t>(sample));
  else
    fill_kernel<std::uint8_t><<<grid, block, 0, stream>>>(plane, samples.width, samples.height,
                                                          static_cast<std::uint8_t>(sample));
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

/// Holds the code of black in luma, or of no colour in chroma, and the distance from the lowest to
/// the highest code.
struct Codes {
  float zero;
  float reach;
};

Codes codes_of(int bits, bool full_range, bool chroma) {
  const auto unit = static_cast<float>(1 << (bits - 8));
  const float middle = 128 * unit;
  if (full_range) return {chroma ? middle : 0, 256 * unit - 1};
  return chroma ? Codes{middle, 224 * unit} : Codes{16 * unit, 219 * unit};
}

Recode recode(Codes from, Codes to) {
  const float gain = to.reach / from.reach;
  return {gain, to.zero - from.zero * gain};
}

Size chroma_size_of(Size size) { return {(size.width + 1) / 2, (size.height + 1) / 2}; }

std::size_t plane_scratch(Size from, Size to, int channels) {
  return static_cast<std::size_t>(from.height) * static_cast<std::size_t>(to.width) *
         static_cast<std::size_t>(channels);
}

PlaneWork plane_work(const Frame& frame, const RescaleTarget& to, bool chroma, float* scratch) {
  const Size from = chroma ? frame.chroma_size() : frame.size;
  const Size into = chroma ? chroma_size_of(to.size) : to.size;
  return {frame.planes[chroma ? 1 : 0],
          chroma ? to.chroma : to.luma,
          {from.width, into.width},
          {from.height, into.height},
          frame.format.shift,
          to.format.shift,
          (1 << to.format.bits) - 1,
          recode(codes_of(frame.format.bits, frame.color.full_range, chroma),
                 codes_of(to.format.bits, to.full_range, chroma)),
          scratch};
}

void expect_target(const RescaleTarget& to) {
  if (!to.format.semi_planar || to.format.log2_chroma_w != 1 || to.format.log2_chroma_h != 1)
    throw Error(ErrorKind::internal, "rescale: a target that isn't semi-planar 4:2:0");
}

unsigned black_of(const RescaleTarget& to, bool chroma) {
  const auto code = static_cast<unsigned>(codes_of(to.format.bits, to.full_range, chroma).zero);
  return code << to.format.shift;
}

}  // namespace

std::size_t rescale_scratch(Size from, Size to) {
  return std::max(plane_scratch(from, to, 1),
                  plane_scratch(chroma_size_of(from), chroma_size_of(to), 2));
}

void enqueue_rescale(const Frame& frame, const RescaleTarget& to, float* scratch,
                     cuda::StreamView stream) {
  expect_device_picture(frame);
  expect_target(to);
  const bool wide_from = frame.format.bytes_per_sample() == 2;
  const bool wide_to = to.format.bytes_per_sample() == 2;
  launch_plane<1>(plane_work(frame, to, false, scratch), wide_from, wide_to, stream.get());
  launch_plane<2>(plane_work(frame, to, true, scratch), wide_from, wide_to, stream.get());
}

void enqueue_black(const RescaleTarget& to, cuda::StreamView stream) {
  expect_target(to);
  const bool wide = to.format.bytes_per_sample() == 2;
  const Size chroma = chroma_size_of(to.size);
  launch_fill(to.luma, to.size, black_of(to, false), wide, stream.get());
  launch_fill(to.chroma, {2 * chroma.width, chroma.height}, black_of(to, true), wide, stream.get());
}

}  // namespace facepipe::video
