#include <cstddef>
#include <string>

#include "core/cuda/check.h"
#include "core/cuda/launch.h"
#include "core/cuda/programmatic.cuh"
#include "core/error.h"
#include "detector/acf/channels.h"
#include "detector/acf/cuda/kernels.h"
#include "nms/cuda/device.cuh"

namespace facepipe::detector::acf {
namespace {

constexpr int kLanes = 32;
constexpr int kRealThreads = 512;
constexpr int kRealWarps = kRealThreads / kLanes;
constexpr int kRealBlocks = 2;  ///< number of blocks that a multiprocessor runs at the same time
constexpr int kWide = kRealTile.width * kShrink;
constexpr int kHigh = kRealTile.height * kShrink;
// Numbers of pixels around the tile for which gradients and smoothed colours are computed.
constexpr int kStrengthHalo = kRadius;
constexpr int kSmoothHalo = kRadius + 1;
constexpr int kStrengthWide = kWide + 2 * kStrengthHalo;
constexpr int kStrengthHigh = kHigh + 2 * kStrengthHalo;
constexpr int kSmoothWide = kWide + 2 * kSmoothHalo;
constexpr int kSmoothHigh = kHigh + 2 * kSmoothHalo;
constexpr int kColumns = kSmoothWide + 2;  // columns that are only smoothed vertically
constexpr int kSourceRows = kSmoothHigh + 2;
static_assert(kRealWarps == kRealTile.height && kWide == 2 * kLanes);

/// Holds the rows of the source that contribute to one row of the scale.
struct RowTaps {
  std::int32_t first[kMostTileTaps];  ///< index of each row's first sample
  float weights[kMostTileTaps];
};

/// Holds the shared memory of a block. Strides are odd, so that the rows of a column lie in
/// different banks.
struct RealMemory {
  union {
    /// at first, smoothed only vertically; later, also horizontally
    float smooth[kColors][kSmoothHigh][kColumns | 1];
    float sums[kHigh][kStrengthWide | 1];  ///< later: the triangle's vertical sums
  };
  /// magnitudes; the tile's magnitudes are later normalized
  float strength[kStrengthHigh][kStrengthWide | 1];
  union {
    float angle[kHigh][kWide];
    RowTaps rows[kSourceRows];  ///< needed before the angles
  };
};

/// Describes the tile that a block works on.
struct RealTile {
  DeviceReal real;
  LuvPicture source;
  Size size;  ///< size of the scale in pixels
  int x;      ///< first pixel of the tile
  int y;
};

__device__ RealTile tile_of(const AcfPlan& plan, const AcfBuffers& buffers) {
  const Part part = plan.pyramid.real_parts[blockIdx.x];
  RealTile tile;
  tile.real = plan.pyramid.real[part.scale];
  tile.size = pixels_of(tile.real.cells);
  tile.source = tile.real.source == TileSource::resized
                    ? LuvPicture{buffers.resized + tile.real.resized, tile.size}
                    : source_of(plan, buffers, tile.real);
  tile.x = part.column * kShrink;
  tile.y = part.row * kShrink;
  return tile;
}

/// Returns whether the tile, and everything around it that is read, lies within the picture.
__device__ bool is_inner(const RealTile& tile) {
  constexpr int kHalo = kSmoothHalo + 1;
  return tile.x >= kHalo && tile.y >= kHalo && tile.x + kWide + kHalo <= tile.size.width &&
         tile.y + kHigh + kHalo <= tile.size.height;
}

/// Loads the taps of the tile's rows: which rows of the source contribute, and their weights.
__device__ void load_rows(const AcfPlan& plan, const RealTile& tile, RealMemory& memory) {
  const DeviceTaps& down = tile.real.down;
  for (int i = static_cast<int>(threadIdx.x); i < kSourceRows; i += kRealThreads) {
    const int row = down.first + within(tile.y - kSmoothHalo - 1 + i, tile.size.height);
    for (int k = 0; k < kMostTileTaps; ++k) {
      const int at = row + k * down.length;
      memory.rows[i].first[k] = plan.taps.index[at] * tile.source.size.width;
      memory.rows[i].weights[k] = plan.taps.weight[at];
    }
  }
}

/// Gives the samples of one column in one colour, for a scale that has its source's size. Row 0 is
/// the first of the tile's kSourceRows. A row beyond the border is equal to the row at the border.
class SourceColumn {
 public:
  __device__ SourceColumn(const AcfPlan& /*plan*/, const RealTile& tile,
                          const RealMemory& /*memory*/, int color, int x)
      : y_(tile.y - kSmoothHalo - 1),
        last_(tile.source.size.height - 1),
        stride_(tile.source.size.width),
        column_(tile.source.planes +
                color * (std::int64_t{tile.source.size.width} * tile.source.size.height) + x) {}

  [[nodiscard]] __device__ float sample(int row) const {
    return column_[min(max(y_ + row, 0), last_) * stride_];
  }

 private:
  int y_;
  int last_;
  int stride_;
  const float* column_;
};

/// Gives the same samples as SourceColumn, but only for a tile whose rows are all within the
/// border.
class InnerColumn {
 public:
  __device__ InnerColumn(const AcfPlan& /*plan*/, const RealTile& tile,
                         const RealMemory& /*memory*/, int color, int x)
      : stride_(tile.source.size.width),
        column_(tile.source.planes + x +
                stride_ *
                    (std::int64_t{color} * tile.source.size.height + tile.y - kSmoothHalo - 1)) {}

  [[nodiscard]] __device__ float sample(int row) const { return column_[row * stride_]; }

 private:
  int stride_;
  const float* column_;
};

/// Gives the samples of one column in one colour, for a scale that the tile resamples. A sample is
/// a sum of kMostTileTaps x kMostTileTaps samples of the source.
class TapsColumn {
 public:
  __device__ TapsColumn(const AcfPlan& plan, const RealTile& tile, const RealMemory& memory,
                        int color, int x)
      : memory_(memory),
        plane_(tile.source.planes +
               color * (std::int64_t{tile.source.size.width} * tile.source.size.height)) {
    const DeviceTaps& across = tile.real.across;
    for (int i = 0; i < kMostTileTaps; ++i) {
      columns_[i] = plan.taps.index[across.first + i * across.length + x];
      weights_[i] = plan.taps.weight[across.first + i * across.length + x];
    }
  }

  [[nodiscard]] __device__ float sample(int row) const {
    const RowTaps& taps = memory_.rows[row];
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kMostTileTaps; ++i) {
      float of_column = 0;
#pragma unroll
      for (int k = 0; k < kMostTileTaps; ++k) {
        const float part = mul(taps.weights[k], plane_[taps.first[k] + columns_[i]]);
        of_column = k == 0 ? part : add(of_column, part);
      }
      const float part = mul(weights_[i], of_column);
      sum = i == 0 ? part : add(sum, part);
    }
    return sum;
  }

 private:
  const RealMemory& memory_;
  const float* plane_;
  int columns_[kMostTileTaps];
  float weights_[kMostTileTaps];
};

/// Smooths vertically. Each thread smooths half a column of one colour, with kAtOnce loads in
/// flight.
template <class Column, int kAtOnce>
__device__ void smooth_columns(const AcfPlan& plan, const RealTile& tile, RealMemory& memory) {
  constexpr int kPart = kSmoothHigh / 2;
  static_assert(kSmoothHigh % 2 == 0 && 2 * kColors * kColumns <= kRealThreads);
  const int column = static_cast<int>(threadIdx.x) % kColumns;
  const int color = static_cast<int>(threadIdx.x) / kColumns % kColors;
  const int part = static_cast<int>(threadIdx.x) / (kColumns * kColors);
  if (part >= 2) return;
  const Column source(plan, tile, memory, color,
                      within(tile.x - kSmoothHalo - 1 + column, tile.size.width));
  const int first = part * kPart;
  float before = source.sample(first);
  float here = source.sample(first + 1);
  for (int row = first; row < first + kPart; row += kAtOnce) {
    float next[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) next[i] = source.sample(min(row + i + 2, kSourceRows - 1));
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      if (row + i < first + kPart)
        memory.smooth[color][row + i][column] = smoothed(before, here, next[i]);
      before = here;
      here = next[i];
    }
  }
}

/// Smooths horizontally, in place. Each warp smooths one row at a time.
__device__ void smooth_rows(RealMemory& memory) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  for (int i = static_cast<int>(threadIdx.x) / kLanes; i < kColors * kSmoothHigh; i += kRealWarps) {
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

/// Returns the position of the pixel whose gradient is used for a position beyond the border.
__device__ int mirrored(int place, int length) {
  return place < 0 ? -1 - place : place >= length ? 2 * length - 1 - place : place;
}

struct Gradient {
  float x;
  float y;
  float square;
};

/// Holds the indices in memory.smooth of a pixel and of its neighbours along one axis. `factor` is
/// the factor of the pixel's slope().
struct Neighbours {
  int here;
  int before;
  int after;
  float factor;
};

/// Returns the neighbours of the i-th magnitude. The first magnitude belongs to pixel `first` of a
/// picture that is `length` pixels long.
template <bool kInner>
__device__ Neighbours neighbours_of(int i, int first, int length, int smooth_length) {
  if constexpr (kInner) return {i + 1, i, i + 2, kHalf};
  const int place = mirrored(first + i, length);
  // The clamp only keeps the indices valid. If it changes an index, no cell of the picture uses the
  // result.
  const int here = min(max(place - first + 1, 1), smooth_length - 2);
  const int before = here - (place == 0 ? 0 : 1);
  const int after = here + (place == length - 1 ? 0 : 1);
  return {here, before, after, after - before == 2 ? kHalf : 1.0F};
}

/// Returns the strongest of the gradients that a pixel has in its three colours.
__device__ Gradient strongest(const RealMemory& memory, const Neighbours& across,
                              const Neighbours& down) {
  Gradient found{0, 0, -1};
#pragma unroll
  for (int c = 0; c < kColors; ++c) {
    const auto& smooth = memory.smooth[c];
    const float gx =
        slope(smooth[down.here][across.before], smooth[down.here][across.after], across.factor);
    const float gy =
        slope(smooth[down.before][across.here], smooth[down.after][across.here], down.factor);
    const float square = squared(gx, gy);
    if (square > found.square) found = {gx, gy, square};
  }
  return found;
}

/// Computes the gradients. Each thread does this for a part of a column.
template <bool kInner>
__device__ void make_gradients(const RealTile& tile, RealMemory& memory) {
  constexpr int kParts = kRealThreads / kStrengthWide;
  constexpr int kRows = (kStrengthHigh + kParts - 1) / kParts;
  const int k = static_cast<int>(threadIdx.x) % kStrengthWide;
  const int part = static_cast<int>(threadIdx.x) / kStrengthWide;
  if (part >= kParts) return;
  const Neighbours across =
      neighbours_of<kInner>(k, tile.x - kStrengthHalo, tile.size.width, kSmoothWide);
  const bool in_tile = k >= kStrengthHalo && k < kStrengthHalo + kWide;
  const int end = min((part + 1) * kRows, kStrengthHigh);
#pragma unroll 2
  for (int i = part * kRows; i < end; ++i) {
    const Neighbours down =
        neighbours_of<kInner>(i, tile.y - kStrengthHalo, tile.size.height, kSmoothHigh);
    const Gradient found = strongest(memory, across, down);
    memory.strength[i][k] = root(found.square);
    if (in_tile && i >= kStrengthHalo && i < kStrengthHalo + kHigh)
      memory.angle[i - kStrengthHalo][k - kStrengthHalo] = orientation_of(found.x, found.y);
  }
}

/// Computes the triangle's sums of kCount neighbouring samples. `of` also has the kRadius samples
/// on both sides.
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

/// Computes the triangle's vertical sums. Each thread does this for a part of a column.
__device__ void sum_columns(RealMemory& memory) {
  constexpr int kParts = kRealThreads / kStrengthWide;
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

/// Divides the tile's magnitudes by the mean around them. Each thread does this for a part of a
/// row.
__device__ void normalize(RealMemory& memory) {
  constexpr int kParts = kRealThreads / kHigh;
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

/// Returns, in each of four neighbouring lanes, the cell to which these lanes contribute.
__device__ float cell_of(float of_column) {
  const float two = add(of_column, __shfl_xor_sync(nms::kAllLanes, of_column, 1));
  return mul(add(two, __shfl_xor_sync(nms::kAllLanes, two, 2)), kCellShare);
}

/// Adds up the shares of four pixels of a column, for each bin.
__device__ void add_shares(const float (&magnitude)[kShrink], const float (&angle)[kShrink],
                           float (&sums)[kOrientations]) {
  BinShares of[kShrink];
#pragma unroll
  for (int i = 0; i < kShrink; ++i) of[i] = shares_of(magnitude[i], angle[i]);
#pragma unroll
  for (int bin = 0; bin < kOrientations; ++bin)
    sums[bin] = sum_of_four(share_of(of[0], bin), share_of(of[1], bin), share_of(of[2], bin),
                            share_of(of[3], bin));
}

/// Writes kCount channels, beginning with channel `kFirst`. Each warp makes one row of cells, in
/// two halves. sums_of(x, y, sums) computes the sums of the cell row's pixels in column x.
template <int kFirst, int kCount, class SumsOf>
__device__ void write_cells(const RealTile& tile, float* real, const SumsOf& sums_of) {
  const int lane = static_cast<int>(nms::lane_id());
  const int row = static_cast<int>(threadIdx.x) / kLanes;
  const Size cells = tile.real.cells;
  const std::int64_t plane = std::int64_t{cells.width} * cells.height;
  const int cell_y = tile.y / kShrink + row;
  for (int x = lane; x < kWide; x += kLanes) {
    float sums[kCount];
    sums_of(x, row * kShrink, sums);
    const int cell_x = (tile.x + x) / kShrink;
    float* const to = real + tile.real.first + std::int64_t{cell_y} * cells.width + cell_x;
    const bool writes = lane % kShrink == 0 && cell_x < cells.width && cell_y < cells.height;
#pragma unroll
    for (int c = 0; c < kCount; ++c) {
      const float cell = cell_of(sums[c]);
      if (writes) to[(kFirst + c) * plane] = cell;
    }
  }
}

__device__ void make_color_cells(const RealTile& tile, const RealMemory& memory, float* real) {
  write_cells<0, kColors>(tile, real, [&](int x, int y, float(&sums)[kColors]) {
#pragma unroll
    for (int c = 0; c < kColors; ++c) {
      const auto row = [&](int i) {
        return memory.smooth[c][kSmoothHalo + y + i][kSmoothHalo + x];
      };
      sums[c] = sum_of_four(row(0), row(1), row(2), row(3));
    }
  });
}

__device__ void make_gradient_cells(const RealTile& tile, const RealMemory& memory, float* real) {
  constexpr int kCount = 1 + kOrientations;
  write_cells<kMagnitude, kCount>(tile, real, [&](int x, int y, float(&sums)[kCount]) {
    float magnitude[kShrink];
    float angle[kShrink];
#pragma unroll
    for (int i = 0; i < kShrink; ++i) {
      magnitude[i] = memory.strength[kStrengthHalo + y + i][kStrengthHalo + x];
      angle[i] = memory.angle[y + i][x];
    }
    sums[0] = sum_of_four(magnitude[0], magnitude[1], magnitude[2], magnitude[3]);
    float bins[kOrientations];
    add_shares(magnitude, angle, bins);
#pragma unroll
    for (int bin = 0; bin < kOrientations; ++bin) sums[1 + bin] = bins[bin];
  });
}

__global__ void __launch_bounds__(kRealThreads, kRealBlocks)
    real_kernel(const __grid_constant__ AcfPlan plan, const __grid_constant__ AcfBuffers buffers) {
  extern __shared__ std::byte shared[];
  auto& memory = *reinterpret_cast<RealMemory*>(shared);
  const RealTile tile = tile_of(plan, buffers);
  const bool inner = is_inner(tile);
  cuda::wait_for_previous_kernel();
  if (tile.real.source == TileSource::tile_taps) {
    load_rows(plan, tile, memory);
    __syncthreads();
    smooth_columns<TapsColumn, 2>(plan, tile, memory);
  } else if (inner) {
    smooth_columns<InnerColumn, 8>(plan, tile, memory);
  } else {
    smooth_columns<SourceColumn, 8>(plan, tile, memory);
  }
  __syncthreads();
  smooth_rows(memory);
  __syncthreads();
  make_color_cells(tile, memory, buffers.real);
  if (inner)
    make_gradients<true>(tile, memory);
  else
    make_gradients<false>(tile, memory);
  __syncthreads();
  sum_columns(memory);
  __syncthreads();
  normalize(memory);
  __syncthreads();
  make_gradient_cells(tile, memory, buffers.real);
}

}  // namespace

void prepare_real() {
  int device = 0;
  int most = 0;
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  FACEPIPE_CUDA_CHECK(
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  if (sizeof(RealMemory) > static_cast<std::size_t>(most))
    throw Error(ErrorKind::device,
                "acf: the kernel needs " + std::to_string(sizeof(RealMemory)) +
                    " bytes of shared memory for each thread block, but the CUDA device has " +
                    std::to_string(most));
  FACEPIPE_CUDA_CHECK(cudaFuncSetAttribute(real_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           sizeof(RealMemory)));
}

void launch_real(const AcfPlan& plan, const AcfBuffers& buffers, cuda::StreamView stream) {
  if (plan.pyramid.real_tiles == 0) return;
  cuda::launch(real_kernel,
               {.grid = static_cast<unsigned>(plan.pyramid.real_tiles),
                .block = kRealThreads,
                .shared_bytes = sizeof(RealMemory),
                .overlap = plan.overlap},
               stream, plan, buffers);
}

}  // namespace facepipe::detector::acf
