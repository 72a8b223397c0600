#include <cstddef>

#include "core/cuda/check.h"
#include "core/turning.h"
#include "detector/acf/channels.h"
#include "detector/acf/cuda/kernels.h"
#include "nms/cuda/device.cuh"

namespace facepipe::acf {
namespace {

constexpr int kThreads = 256;
constexpr int kLanes = 32;
constexpr int kWarps = kThreads / kLanes;

unsigned blocks_for(std::int64_t work) {
  return static_cast<unsigned>((work + kThreads - 1) / kThreads);
}

// --- Colours -------------------------------------------------------------------------------------

/// A sample as one of 8 bits.
__device__ float byte_at(const AcfPlan& plan, const std::byte* row, int index) {
  if (plan.wide == 0) return static_cast<float>(reinterpret_cast<const std::uint8_t*>(row)[index]);
  const float word = static_cast<float>(reinterpret_cast<const std::uint16_t*>(row)[index]);
  return fminf(rintf(__fmul_rn(word, plan.to_byte)), 255.0F);
}

__device__ Luv luv_at(const AcfPlan& plan, const FrameDescriptor& frame, int x, int y) {
  const PixelPlace at = before_turning({x, y}, plan.stored, plan.orientation);
  const std::byte* const row = frame.luma + static_cast<long long>(at.y) * frame.luma_stride;
  const std::byte* const chroma =
      frame.chroma + static_cast<long long>(at.y / 2) * frame.chroma_stride;
  const float luma = byte_at(plan, row, at.x);
  const float u = byte_at(plan, chroma, at.x / 2 * 2);
  const float v = byte_at(plan, chroma, at.x / 2 * 2 + 1);
  return luv_of(color_of(luma, u, v, frame.byte_to_rgb[0]),
                color_of(luma, u, v, frame.byte_to_rgb[1]),
                color_of(luma, u, v, frame.byte_to_rgb[2]), plan.lightness);
}

/// A thread a pixel.
__global__ void __launch_bounds__(kThreads)
    luv_kernel(const FrameDescriptor* descriptor, const __grid_constant__ AcfPlan plan,
               float* luv) {
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto y = static_cast<int>(blockIdx.y);
  if (x >= plan.picture.width) return;
  const Luv color = luv_at(plan, *descriptor, x, y);
  const std::int64_t plane = std::int64_t{plan.picture.width} * plan.picture.height;
  float* const to = luv + std::int64_t{y} * plan.picture.width + x;
  to[0] = color.l;
  to[plane] = color.u;
  to[2 * plane] = color.v;
}

// --- Resampling ----------------------------------------------------------------------------------

/// A sample of a plane whose rows have `width` samples: down first, then across, as all devices do.
__device__ float resampled_at(const AcfPlan& plan, const DeviceTaps& across, const DeviceTaps& down,
                              const float* plane, int width, int x, int y) {
  const std::int32_t* const columns = plan.tap_index + across.first + x;
  const float* const column_weights = plan.tap_weight + across.first + x;
  const std::int32_t* const rows = plan.tap_index + down.first + y;
  const float* const row_weights = plan.tap_weight + down.first + y;
  float sum = 0;
  for (int i = 0; i < across.count; ++i) {
    const float* const column = plane + columns[i * across.length];
    float of_column = 0;
    for (int k = 0; k < down.count; ++k) {
      const float part =
          mul(row_weights[k * down.length], column[std::int64_t{rows[k * down.length]} * width]);
      of_column = k == 0 ? part : add(of_column, part);
    }
    const float part = mul(column_weights[i * across.length], of_column);
    sum = i == 0 ? part : add(sum, part);
  }
  return sum;
}

/// A thread a pixel of one of three planes.
__global__ void __launch_bounds__(kThreads)
    half_kernel(const __grid_constant__ AcfPlan plan, const float* luv, float* half) {
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto y = static_cast<int>(blockIdx.y);
  if (x >= plan.half.width) return;
  const std::int64_t from = std::int64_t{plan.picture.width} * plan.picture.height;
  const std::int64_t to = std::int64_t{plan.half.width} * plan.half.height;
  for (int c = 0; c < kColors; ++c)
    half[c * to + std::int64_t{y} * plan.half.width + x] = resampled_at(
        plan, plan.half_across, plan.half_down, luv + c * from, plan.picture.width, x, y);
}

// --- A tile of a real scale ----------------------------------------------------------------------

constexpr int kWide = kRealTile.width * kShrink;
constexpr int kHigh = kRealTile.height * kShrink;
// Around it: what gradients, and what smoothed colours are needed of.
constexpr int kStrengthHalo = kRadius;
constexpr int kSmoothHalo = kRadius + 1;
constexpr int kStrengthWide = kWide + 2 * kStrengthHalo;
constexpr int kStrengthHigh = kHigh + 2 * kStrengthHalo;
constexpr int kSmoothWide = kWide + 2 * kSmoothHalo;
constexpr int kSmoothHigh = kHigh + 2 * kSmoothHalo;
constexpr int kColumns = kSmoothWide + 2;  // of what is smoothed down alone
static_assert(kWarps == kRealTile.height && kWide == 2 * kLanes && kColors * kColumns <= kThreads);

/// A block's shared memory. An odd stride keeps the rows of a column in different banks.
struct RealMemory {
  float smooth[kColors][kSmoothHigh][kColumns | 1];  ///< first smoothed down alone
  float strength[kStrengthHigh][kStrengthWide | 1];  ///< magnitudes; the tile's, then normalized
  float angle[kHigh][kWide];
  float sums[kHigh][kStrengthWide | 1];  ///< of the triangle, down alone
};

/// Of a picture that LUV has been made of.
struct LuvSource {
  const float* planes;
  Size size;
};

/// What a block works on.
struct RealTile {
  DeviceReal real;
  LuvSource source;
  Size size;  ///< of the scale in pixels
  int x;      ///< first pixel
  int y;
};

__device__ RealTile tile_of(const AcfPlan& plan, const AcfBuffers& buffers) {
  const Part part = plan.real_parts[blockIdx.x];
  RealTile tile;
  tile.real = plan.real[part.scale];
  tile.source = tile.real.of_half != 0 ? LuvSource{buffers.half, plan.half}
                                       : LuvSource{buffers.luv, plan.picture};
  tile.size = {tile.real.cells.width * kShrink, tile.real.cells.height * kShrink};
  tile.x = part.column * kShrink;
  tile.y = part.row * kShrink;
  return tile;
}

/// The border's sample stands for those beyond it.
__device__ int within(int place, int length) { return min(max(place, 0), length - 1); }

/// Smoothed down: a thread a column of a colour.
__device__ void smooth_columns(const AcfPlan& plan, const RealTile& tile, RealMemory& memory) {
  const int color = static_cast<int>(threadIdx.x) / kColumns;
  const int column = static_cast<int>(threadIdx.x) % kColumns;
  if (color >= kColors) return;
  const Size from = tile.source.size;
  const float* const plane = tile.source.planes + color * (std::int64_t{from.width} * from.height);
  const int x = within(tile.x - kSmoothHalo - 1 + column, tile.size.width);
  const auto sample = [&](int row) {
    const int y = within(tile.y - kSmoothHalo + row, tile.size.height);
    return tile.real.across.count == 0
               ? plane[std::int64_t{y} * from.width + x]
               : resampled_at(plan, tile.real.across, tile.real.down, plane, from.width, x, y);
  };
  float before = sample(-1);
  float here = sample(0);
#pragma unroll 4
  for (int row = 0; row < kSmoothHigh; ++row) {
    const float after = sample(row + 1);
    memory.smooth[color][row][column] = smoothed(before, here, after);
    before = here;
    here = after;
  }
}

/// And across, in place: a warp a row.
__device__ void smooth_rows(RealMemory& memory) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  for (int i = static_cast<int>(threadIdx.x) / kLanes; i < kColors * kSmoothHigh; i += kWarps) {
    float* const row = memory.smooth[i / kSmoothHigh][i % kSmoothHigh];
    constexpr int kSteps = (kSmoothWide + kLanes - 1) / kLanes;
    float made[kSteps];
#pragma unroll
    for (int k = 0; k < kSteps; ++k) {
      const int x = min(lane + k * kLanes, kSmoothWide - 1);
      made[k] = smoothed(row[x], row[x + 1], row[x + 2]);
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < kSteps; ++k)
      if (lane + k * kLanes < kSmoothWide) row[lane + k * kLanes] = made[k];
  }
}

/// Where the picture's pixel lies whose gradient stands for one beyond the border.
__device__ int mirrored(int place, int length) {
  return place < 0 ? -1 - place : place >= length ? 2 * length - 1 - place : place;
}

struct Gradient {
  float x;
  float y;
  float square;
};

/// The strongest one's of a pixel of the picture; its neighbours' places in memory.smooth.
__device__ Gradient strongest(const RealMemory& memory, int row, int above, int below, int column,
                              int left, int right, float across, float down) {
  Gradient found{0, 0, -1};
#pragma unroll
  for (int c = 0; c < kColors; ++c) {
    const float gx = slope(memory.smooth[c][row][left], memory.smooth[c][row][right], across);
    const float gy = slope(memory.smooth[c][above][column], memory.smooth[c][below][column], down);
    const float square = squared(gx, gy);
    if (square > found.square) found = {gx, gy, square};
  }
  return found;
}

/// A warp a row.
__device__ void make_gradients(const RealTile& tile, RealMemory& memory) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  for (int i = warp; i < kStrengthHigh; i += kWarps) {
    const int y = mirrored(tile.y - kStrengthHalo + i, tile.size.height);
    // Rows that no cell of the picture needs lie anywhere.
    const int row = min(max(y - tile.y + kSmoothHalo, 1), kSmoothHigh - 2);
    const bool first = y == 0;
    const bool last = y == tile.size.height - 1;
    for (int k = lane; k < kStrengthWide; k += kLanes) {
      const int x = mirrored(tile.x - kStrengthHalo + k, tile.size.width);
      const int column = min(max(x - tile.x + kSmoothHalo, 1), kSmoothWide - 2);
      const int left = column - (x == 0 ? 0 : 1);
      const int right = column + (x == tile.size.width - 1 ? 0 : 1);
      const Gradient found =
          strongest(memory, row, row - (first ? 0 : 1), row + (last ? 0 : 1), column, left, right,
                    right - left == 2 ? kHalf : 1.0F, first || last ? 1.0F : kHalf);
      memory.strength[i][k] = root(found.square);
      const int in_y = i - kStrengthHalo;
      const int in_x = k - kStrengthHalo;
      if (in_y >= 0 && in_y < kHigh && in_x >= 0 && in_x < kWide)
        memory.angle[in_y][in_x] = orientation_of(found.x, found.y);
    }
  }
}

/// The triangle's sums of kCount samples side by side, of those up to kRadius further.
template <int kCount>
__device__ void triangle_sums(const float (&of)[kCount + 2 * kRadius], float (&sums)[kCount]) {
  constexpr int kLength = kCount + 2 * kRadius;
  float pairs[kLength - 1];
  float sixes[kLength - 5];
  float doubles[kLength - 6];
#pragma unroll
  for (int i = 0; i < kLength - 1; ++i) pairs[i] = add(of[i], of[i + 1]);
#pragma unroll
  for (int i = 0; i < kLength - 5; ++i) sixes[i] = sum_of_six(pairs[i], pairs[i + 2], pairs[i + 4]);
#pragma unroll
  for (int i = 0; i < kLength - 6; ++i) doubles[i] = add(sixes[i], sixes[i + 1]);
#pragma unroll
  for (int i = 0; i < kCount; ++i) sums[i] = sum_of_six(doubles[i], doubles[i + 2], doubles[i + 4]);
}

/// A thread a part of a column.
__device__ void sum_columns(RealMemory& memory) {
  constexpr int kParts = kThreads / kStrengthWide;
  constexpr int kRows = (kHigh + kParts - 1) / kParts;
  const int column = static_cast<int>(threadIdx.x) % kStrengthWide;
  const int first = static_cast<int>(threadIdx.x) / kStrengthWide * kRows;
  if (first >= kHigh) return;
  float of[kRows + 2 * kRadius];
  float sums[kRows];
#pragma unroll
  for (int i = 0; i < kRows + 2 * kRadius; ++i)
    of[i] = memory.strength[min(first + i, kStrengthHigh - 1)][column];
  triangle_sums<kRows>(of, sums);
#pragma unroll
  for (int i = 0; i < kRows; ++i)
    if (first + i < kHigh) memory.sums[first + i][column] = sums[i];
}

/// Divides the tile's magnitudes by the mean around them. A thread a part of a row.
__device__ void normalize(RealMemory& memory) {
  constexpr int kParts = kThreads / kHigh;
  constexpr int kCount = kWide / kParts;
  const int row = static_cast<int>(threadIdx.x) / kParts;
  const int first = static_cast<int>(threadIdx.x) % kParts * kCount;
  float of[kCount + 2 * kRadius];
  float sums[kCount];
#pragma unroll
  for (int i = 0; i < kCount + 2 * kRadius; ++i) of[i] = memory.sums[row][first + i];
  triangle_sums<kCount>(of, sums);
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    float& magnitude = memory.strength[row + kStrengthHalo][first + i + kStrengthHalo];
    magnitude = normalized(magnitude, sums[i]);
  }
}

// --- Its cells -----------------------------------------------------------------------------------

/// Of four lanes side by side, in each of them.
__device__ float cell_of(float of_column) {
  const float two = add(of_column, __shfl_xor_sync(nms::kAllLanes, of_column, 1));
  return mul(add(two, __shfl_xor_sync(nms::kAllLanes, two, 2)), kCellShare);
}

/// Sums of the histograms' shares of four pixels in a column.
__device__ void add_shares(const float (&magnitude)[kShrink], const float (&angle)[kShrink],
                           float (&sums)[kOrientations]) {
  float shares[kShrink][kOrientations];
#pragma unroll
  for (int i = 0; i < kShrink; ++i)
#pragma unroll
    for (int bin = 0; bin < kOrientations; ++bin)
      shares[i][bin] = share_of_bin(magnitude[i], angle[i], bin);
#pragma unroll
  for (int bin = 0; bin < kOrientations; ++bin)
    sums[bin] = sum_of_four(shares[0][bin], shares[1][bin], shares[2][bin], shares[3][bin]);
}

/// A warp a row of cells, twice half of it.
__device__ void make_cells(const RealTile& tile, const RealMemory& memory, float* real) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int row = static_cast<int>(threadIdx.x) / kLanes;
  const Size cells = tile.real.cells;
  const std::int64_t plane = std::int64_t{cells.width} * cells.height;
  const int cell_y = tile.y / kShrink + row;
  for (int x = lane; x < kWide; x += kLanes) {
    float made[kChannels];
#pragma unroll
    for (int c = 0; c < kColors; ++c) {
      const auto& smooth = memory.smooth[c];
      const int first = kSmoothHalo + row * kShrink;
      const int column = kSmoothHalo + x;
      made[c] = sum_of_four(smooth[first][column], smooth[first + 1][column],
                            smooth[first + 2][column], smooth[first + 3][column]);
    }
    float magnitude[kShrink];
    float angle[kShrink];
#pragma unroll
    for (int i = 0; i < kShrink; ++i) {
      magnitude[i] = memory.strength[kStrengthHalo + row * kShrink + i][kStrengthHalo + x];
      angle[i] = memory.angle[row * kShrink + i][x];
    }
    made[kMagnitude] = sum_of_four(magnitude[0], magnitude[1], magnitude[2], magnitude[3]);
    float bins[kOrientations];
    add_shares(magnitude, angle, bins);
#pragma unroll
    for (int bin = 0; bin < kOrientations; ++bin) made[kMagnitude + 1 + bin] = bins[bin];
    const int cell_x = (tile.x + x) / kShrink;
    float* const to = real + tile.real.first + std::int64_t{cell_y} * cells.width + cell_x;
    const bool writes = lane % kShrink == 0 && cell_x < cells.width && cell_y < cells.height;
#pragma unroll
    for (int c = 0; c < kChannels; ++c) {
      const float cell = cell_of(made[c]);
      if (writes) to[c * plane] = cell;
    }
  }
}

__global__ void __launch_bounds__(kThreads)
    real_kernel(const __grid_constant__ AcfPlan plan, const __grid_constant__ AcfBuffers buffers) {
  extern __shared__ std::byte shared[];
  auto& memory = *reinterpret_cast<RealMemory*>(shared);
  const RealTile tile = tile_of(plan, buffers);
  smooth_columns(plan, tile, memory);
  __syncthreads();
  smooth_rows(memory);
  __syncthreads();
  make_gradients(tile, memory);
  __syncthreads();
  sum_columns(memory);
  __syncthreads();
  normalize(memory);
  __syncthreads();
  make_cells(tile, memory, buffers.real);
}

// --- Strips of all scales ------------------------------------------------------------------------

constexpr int kMostTaps = 4;

/// A strip of one channel.
struct Strip {
  const DeviceScale* scale;
  int channel;
  int x;      ///< of the lane's column, within the scale
  bool in;    ///< whether it is the strip's own
  float* to;  ///< the lane's padded cell of row 0
};

/// The lane's own weights across.
struct Across {
  int count;
  std::int32_t index[kMostTaps];
  float weight[kMostTaps];
};

__device__ Across across_of(const AcfPlan& plan, const DeviceTaps& taps, int x) {
  Across across{taps.count, {x}, {}};
  for (int i = 0; i < kMostTaps; ++i)
    if (i < taps.count) {
      across.index[i] = plan.tap_index[taps.first + i * taps.length + x];
      across.weight[i] = plan.tap_weight[taps.first + i * taps.length + x];
    }
  return across;
}

/// A cell before it is smoothed.
__device__ float cell_at(const AcfPlan& plan, const DeviceTaps& down, const Across& across,
                         const float* plane, int width, float factor, int y) {
  if (across.count == 0) return plane[std::int64_t{y} * width + across.index[0]];
  const std::int32_t* const rows = plan.tap_index + down.first + y;
  const float* const weights = plan.tap_weight + down.first + y;
  float of_columns[kMostTaps];
  for (int k = 0; k < down.count; ++k) {
    const float* const row = plane + std::int64_t{rows[k * down.length]} * width;
    const float weight = weights[k * down.length];
#pragma unroll
    for (int i = 0; i < kMostTaps; ++i)
      if (i < across.count) {
        const float part = mul(weight, row[across.index[i]]);
        of_columns[i] = k == 0 ? part : add(of_columns[i], part);
      }
  }
  float sum = mul(across.weight[0], of_columns[0]);
#pragma unroll
  for (int i = 1; i < kMostTaps; ++i)
    if (i < across.count) sum = add(sum, mul(across.weight[i], of_columns[i]));
  return mul(sum, factor);
}

/// A cell, and the padding beside it where it is the first or the last of its row. `inside`: of the
/// row itself.
__device__ void write_cell(const AcfPlan& plan, const Strip& strip, int padded_row, float cell,
                           bool inside) {
  const bool is_color = strip.channel < kColors;
  const float beyond = is_color ? cell : 0.0F;
  float* const to = strip.to + std::int64_t{padded_row} * plan.stride;
  *to = inside ? cell : beyond;
  if (strip.x == 0)
    for (int i = 1; i <= plan.padding.width; ++i) to[-i] = beyond;
  if (strip.x == strip.scale->scale.cells.width - 1)
    for (int i = 1; i <= plan.padding.width; ++i) to[i] = beyond;
}

/// And that above or below it, where it is the first or the last of its column.
__device__ void write_cells(const AcfPlan& plan, const Strip& strip, int y, float cell) {
  const int high = plan.padding.height;
  write_cell(plan, strip, high + y, cell, true);
  if (y == 0)
    for (int i = 0; i < high; ++i) write_cell(plan, strip, i, cell, false);
  if (y == strip.scale->scale.cells.height - 1)
    for (int i = 1; i <= high; ++i) write_cell(plan, strip, high + y + i, cell, false);
}

__global__ void __launch_bounds__(kChannels* kLanes)
    cells_kernel(const __grid_constant__ AcfPlan plan, const __grid_constant__ AcfBuffers buffers,
                 int first_strip) {
  const Part part = plan.strips[first_strip + static_cast<int>(blockIdx.x)];
  const DeviceScale& scale = plan.scales[part.scale];
  const DeviceReal& real = plan.real[scale.real];
  const Size cells = scale.scale.cells;
  const auto lane = static_cast<int>(threadIdx.x) % kLanes;
  const auto channel = static_cast<int>(threadIdx.x) / kLanes;
  const float* const plane =
      buffers.real + real.first + channel * (std::int64_t{real.cells.width} * real.cells.height);
  const int wanted = part.column - 1 + lane;
  Strip strip{&scale, channel, within(wanted, cells.width), false, nullptr};
  strip.in = lane > 0 && lane <= kStrip.width && wanted < cells.width;
  strip.to = buffers.cells + channel * plan.plane + scale.first_cell + plan.padding.width + strip.x;
  const Across across = across_of(plan, scale.across, strip.x);
  const float factor = scale.scale.factors[channel];
  const auto row = [&](int y) {
    return cell_at(plan, scale.down, across, plane, real.cells.width, factor,
                   within(y, cells.height));
  };
  const int end = min(part.row + kStrip.height, cells.height);
  float before = row(part.row - 1);
  float here = row(part.row);
  for (int y = part.row; y < end; ++y) {
    const float after = row(y + 1);
    const float down = smoothed(before, here, after);
    const float left = __shfl_up_sync(nms::kAllLanes, down, 1);
    const float right = __shfl_down_sync(nms::kAllLanes, down, 1);
    if (strip.in) write_cells(plan, strip, y, smoothed(left, down, right));
    before = here;
    here = after;
  }
}

}  // namespace

void launch_real(const FrameDescriptor* frame, const AcfPlan& plan, const AcfBuffers& buffers,
                 cuda::StreamView stream) {
  if (plan.real_tiles == 0) return;
  FACEPIPE_CUDA_CHECK(cudaFuncSetAttribute(real_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           sizeof(RealMemory)));
  const dim3 pixels(blocks_for(plan.picture.width), static_cast<unsigned>(plan.picture.height));
  luv_kernel<<<pixels, kThreads, 0, stream.get()>>>(frame, plan, buffers.luv);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
  if (plan.half.width > 0) {
    const dim3 halves(blocks_for(plan.half.width), static_cast<unsigned>(plan.half.height));
    half_kernel<<<halves, kThreads, 0, stream.get()>>>(plan, buffers.luv, buffers.half);
    FACEPIPE_CUDA_CHECK(cudaGetLastError());
  }
  real_kernel<<<static_cast<unsigned>(plan.real_tiles), kThreads, sizeof(RealMemory),
                stream.get()>>>(plan, buffers);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_cells(const AcfPlan& plan, const BatchPlan& batch, const AcfBuffers& buffers,
                  cuda::StreamView stream) {
  if (batch.strips == 0) return;
  cells_kernel<<<static_cast<unsigned>(batch.strips), kChannels * kLanes, 0, stream.get()>>>(
      plan, buffers, batch.first_strip);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::acf
