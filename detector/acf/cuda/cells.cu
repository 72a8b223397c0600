#include <cstddef>

#include "core/cuda/check.h"
#include "core/cuda/launch.h"
#include "core/cuda/programmatic.cuh"
#include "detector/acf/channels.h"
#include "detector/acf/cuda/kernels.h"
#include "nms/cuda/device.cuh"

namespace facepipe::detector::acf {
namespace {

constexpr int kLanes = 32;
constexpr int kWarpChannels = 2;
constexpr int kStripWarps = kChannels / kWarpChannels;
constexpr int kStripRows = kStrip.height + 2;

/// Describes a lane's column of a strip.
struct Strip {
  const DeviceScale* scale;
  int x;    ///< column within the scale
  bool in;  ///< whether the column belongs to the strip, and isn't a neighbouring column
};

/// Describes a row of the source that contributes to a row of cells. `at` is its distance from the
/// first row, in bytes.
struct alignas(8) RowTap {
  unsigned at;
  float weight;
};
constexpr unsigned kSampleBytes = sizeof(float);

/// Loads the taps of the strip's rows, and of one row before and one row after them.
template <int kTaps>
__device__ void load_rows(const AcfPlan& plan, const DeviceScale& scale, int first_row, int width,
                          RowTap (&rows)[kStripRows][kTaps]) {
  const auto bytes = [&](int row) { return static_cast<unsigned>(row * width) * kSampleBytes; };
  for (int i = static_cast<int>(threadIdx.x); i < kStripRows * kTaps; i += kStripWarps * kLanes) {
    const int y = within(first_row - 1 + i / kTaps, scale.scale.cells.height);
    const int at = scale.down.first + i % kTaps * scale.down.length + y;
    rows[i / kTaps][i % kTaps] = scale.down.count == 0
                                     ? RowTap{bytes(y), 1.0F}
                                     : RowTap{bytes(plan.taps.index[at]), plan.taps.weight[at]};
  }
}

/// Holds the columns of the source that contribute to the lane's own column.
template <int kTaps>
struct Columns {
  unsigned at[kTaps];  ///< offsets in bytes
  float weight[kTaps];
};

template <int kTaps>
__device__ Columns<kTaps> columns_of(const AcfPlan& plan, const DeviceTaps& across, int x) {
  Columns<kTaps> columns{{static_cast<unsigned>(x) * kSampleBytes}, {1.0F}};
  if (across.count == 0) return columns;
#pragma unroll
  for (int i = 0; i < kTaps; ++i) {
    columns.at[i] =
        static_cast<unsigned>(plan.taps.index[across.first + i * across.length + x]) * kSampleBytes;
    columns.weight[i] = plan.taps.weight[across.first + i * across.length + x];
  }
  return columns;
}

/// Returns a cell before smoothing.
template <int kTaps>
__device__ __forceinline__ float cell_at(const float* plane, const RowTap (&rows)[kTaps],
                                         const Columns<kTaps>& columns, float factor) {
  const auto sample = [&](int k, int i) {
    const auto* const bytes = reinterpret_cast<const char*>(plane);
    return __ldg(reinterpret_cast<const float*>(bytes + (rows[k].at + columns.at[i])));
  };
  if constexpr (kTaps == 1) return sample(0, 0);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kTaps; ++i) {
    float of_column = 0;
#pragma unroll
    for (int k = 0; k < kTaps; ++k) {
      const float part = mul(rows[k].weight, sample(k, i));
      of_column = k == 0 ? part : add(of_column, part);
    }
    const float part = mul(columns.weight[i], of_column);
    sum = i == 0 ? part : add(sum, part);
  }
  return mul(sum, factor);
}

/// If `to` is the first or the last cell of its row, writes `cell` into the padding beside it. The
/// row may also lie in the padding above or below the cells.
__device__ void pad_row(const AcfPlan& plan, const Strip& strip, float* to, float cell) {
  if (strip.x == 0)
    for (int i = 1; i <= plan.pyramid.padding.width; ++i) to[-i] = cell;
  if (strip.x == strip.scale->scale.cells.width - 1)
    for (int i = 1; i <= plan.pyramid.padding.width; ++i) to[i] = cell;
}

/// Writes the padding around the lane's `count` cells from row `y` on, if these cells are at the
/// scale's border. In colour channels, the padding repeats the border cell; in other channels, the
/// padding is 0. `to` is the first cell. The function is not inlined, because few lanes call it.
__device__ __noinline__ void pad(const AcfPlan& plan, const Strip& strip, bool is_color, float* to,
                                 int y, int count) {
  const auto beyond = [&](const float* cell) { return is_color ? *cell : 0.0F; };
  for (int i = 0; i < count; ++i)
    pad_row(plan, strip, to + i * plan.pyramid.stride, beyond(to + i * plan.pyramid.stride));
  const auto pad_rows = [&](const float* cell, int step) {
    const float value = beyond(cell);
    for (int i = 1; i <= plan.pyramid.padding.height; ++i) {
      float* const row = to + (cell - to) + i * step;
      *row = value;
      pad_row(plan, strip, row, value);
    }
  };
  if (y == 0) pad_rows(to, -plan.pyramid.stride);
  if (y + count == strip.scale->scale.cells.height)
    pad_rows(to + (count - 1) * plan.pyramid.stride, plan.pyramid.stride);
}

/// Makes a strip of all channels. Each warp makes kWarpChannels channels.
template <int kTaps>
__device__ void make_strip(const AcfPlan& plan, const AcfBuffers& buffers, const Part& part) {
  __shared__ RowTap rows[kStripRows][kTaps];
  const DeviceScale& scale = plan.pyramid.scales[part.scale];
  const DeviceReal& real = plan.pyramid.real[scale.real];
  const Size cells = scale.scale.cells;
  load_rows<kTaps>(plan, scale, part.row, real.cells.width, rows);
  const auto lane = static_cast<int>(nms::lane_id());
  const int warp = nms::of_warp(static_cast<int>(threadIdx.x) / kLanes);
  const int wanted = part.column - 1 + lane;
  Strip strip;
  strip.scale = &scale;
  strip.x = within(wanted, cells.width);
  strip.in = lane > 0 && lane <= kStrip.width && wanted < cells.width;
  const int count = min(kStrip.height, cells.height - part.row);
  const bool at_border =
      wanted == 0 || wanted == cells.width - 1 || part.row == 0 || part.row + count == cells.height;
  const Columns<kTaps> columns = columns_of<kTaps>(plan, scale.across, strip.x);
  __syncthreads();
  for (int n = 0; n < kWarpChannels; ++n) {
    const int channel = warp * kWarpChannels + n;
    const float* const plane =
        buffers.real +
        nms::of_warp(static_cast<int>(real.first) + channel * real.cells.width * real.cells.height);
    const float factor = scale.scale.factors[channel];
    float made[kStripRows];  // all samples are loaded before any is used
#pragma unroll
    for (int i = 0; i < kStripRows; ++i) made[i] = cell_at<kTaps>(plane, rows[i], columns, factor);
    float* const first = buffers.cells + channel * plan.pyramid.plane + scale.first_cell +
                         (plan.pyramid.padding.height + part.row) * plan.pyramid.stride +
                         plan.pyramid.padding.width + strip.x;
    float* to = first;
#pragma unroll
    for (int i = 0; i < kStrip.height; ++i, to += plan.pyramid.stride) {
      const float down = smoothed(made[i], made[i + 1], made[i + 2]);
      const float left = __shfl_up_sync(nms::kAllLanes, down, 1);
      const float right = __shfl_down_sync(nms::kAllLanes, down, 1);
      if (strip.in && i < count) *to = smoothed(left, down, right);
    }
    if (strip.in && at_border) pad(plan, strip, channel < kColors, first, part.row, count);
  }
}

__global__ void __launch_bounds__(kStripWarps* kLanes)
    cells_kernel(const __grid_constant__ AcfPlan plan, const __grid_constant__ AcfBuffers buffers,
                 int first_strip) {
  const Part part = plan.pyramid.strips[first_strip + static_cast<int>(blockIdx.x)];
  const int taps = plan.pyramid.scales[part.scale].across.count;
  cuda::wait_for_previous_kernel();
  if (taps == 0)
    make_strip<1>(plan, buffers, part);
  else if (taps == 2)
    make_strip<2>(plan, buffers, part);
  else
    make_strip<kMostCellTaps>(plan, buffers, part);
}

}  // namespace

void launch_cells(const AcfPlan& plan, const BatchPlan& batch, const AcfBuffers& buffers,
                  cuda::StreamView stream) {
  if (batch.strips == 0) return;
  cuda::launch(cells_kernel,
               {.grid = static_cast<unsigned>(batch.strips),
                .block = kStripWarps * kLanes,
                .overlap = plan.overlap},
               stream, plan, buffers, batch.first_strip);
}

}  // namespace facepipe::detector::acf
