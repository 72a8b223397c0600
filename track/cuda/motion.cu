#include "core/cuda/check.h"
#include "track/cuda/kernels.h"

namespace facepipe::track {
namespace {

constexpr unsigned kWarp = 32;

unsigned blocks_for(int work, unsigned each) {
  return (static_cast<unsigned>(work) + each - 1) / each;
}

// --- pyramid ---

constexpr int kTile = 32;  ///< samples of the first level that a block makes, on each axis
constexpr unsigned kTileRows = 8;

/// Returns a sample of the upright small luma.
template <typename Sample>
__device__ std::uint8_t small_luma(const std::byte* plane, std::ptrdiff_t stride,
                                   const LumaCells& cells, Orientation orientation, int x, int y) {
  const PixelPlace cell = before_turning({x, y}, cells.size(), orientation);
  const auto* const upper = reinterpret_cast<const Sample*>(plane + cells.y.first(cell.y) * stride);
  const auto* const lower =
      reinterpret_cast<const Sample*>(plane + cells.y.second(cell.y) * stride);
  const int a = cells.x.first(cell.x);
  const int b = cells.x.second(cell.x);
  return static_cast<std::uint8_t>(
      mean_of_four(0U + upper[a] + upper[b] + lower[a] + lower[b], cells.drop));
}

/// Each block makes a tile of the first level, and a tile of each further level, all for the same
/// part of the picture. A level's tile has half as many samples on each axis as the tile of the
/// previous level.
template <typename Sample>
__global__ void pyramid_kernel(const std::byte* plane, std::ptrdiff_t stride, LumaCells cells,
                               Orientation orientation, PyramidShape shape, std::uint8_t* out) {
  __shared__ std::uint8_t tiles[2][kTile][kTile];
  const Size first = shape.size(0);
  for (int row = static_cast<int>(threadIdx.y); row < kTile; row += kTileRows) {
    const int x = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x);
    const int y = static_cast<int>(blockIdx.y) * kTile + row;
    if (x >= first.width || y >= first.height) continue;
    const std::uint8_t sample = small_luma<Sample>(plane, stride, cells, orientation, x, y);
    tiles[0][row][threadIdx.x] = sample;
    out[static_cast<std::size_t>(y) * first.width + x] = sample;
  }
  for (int level = 1; level < shape.levels; ++level) {
    __syncthreads();
    out += shape.samples(level - 1);
    const int side = kTile >> level;
    const int i = static_cast<int>(threadIdx.y * kTile + threadIdx.x);
    if (i >= side * side) continue;
    const Size below = shape.size(level - 1);
    const Size size = shape.size(level);
    const int left = static_cast<int>(blockIdx.x) * side;
    const int top = static_cast<int>(blockIdx.y) * side;
    const int column = i % side;
    const int row = i / side;
    if (left + column >= size.width || top + row >= size.height) continue;
    // At an odd edge the last sample counts twice.
    const int right = 2 * (left + column) + 1 < below.width ? 2 * column + 1 : 2 * column;
    const int bottom = 2 * (top + row) + 1 < below.height ? 2 * row + 1 : 2 * row;
    const auto& from = tiles[(level - 1) % 2];
    const unsigned sum = 0U + from[2 * row][2 * column] + from[2 * row][right] +
                         from[bottom][2 * column] + from[bottom][right];
    const auto sample = static_cast<std::uint8_t>(mean_of_four(sum, 0));
    tiles[level % 2][row][column] = sample;
    out[static_cast<std::size_t>(top + row) * size.width + left + column] = sample;
  }
}

// --- histograms ---

constexpr unsigned kSlices = 4;  ///< number of blocks for each cell
constexpr unsigned kCounters = kGreys;

__global__ void counts_kernel(LumaLevel level, std::uint32_t* counts) {
  __shared__ std::uint32_t own[kGreys];
  own[threadIdx.x] = 0;
  __syncthreads();
  const int cell_x = static_cast<int>(blockIdx.x) % kHistogramCells;
  const int cell_y = static_cast<int>(blockIdx.x) / kHistogramCells;
  const int left = cell_column(cell_x, level.size.width);
  const int width = cell_column(cell_x + 1, level.size.width) - left;
  const int top = cell_row(cell_y, level.size.height);
  const int height = cell_row(cell_y + 1, level.size.height) - top;
  const int step = static_cast<int>(kSlices * kCounters);
  for (int i = static_cast<int>(blockIdx.y * kCounters + threadIdx.x); i < width * height;
       i += step) {
    const int y = top + i / width;
    const int x = left + i % width;
    atomicAdd(&own[level.samples[static_cast<std::size_t>(y) * level.size.width + x]], 1U);
  }
  __syncthreads();
  if (own[threadIdx.x] > 0) atomicAdd(&counts[blockIdx.x * kGreys + threadIdx.x], own[threadIdx.x]);
}

// --- texture ---

/// Returns the sum of the values of a group of kFlowWindow threads.
__device__ int sum_of_group(int value) {
  for (int other = kFlowWindow / 2; other > 0; other /= 2)
    value += __shfl_xor_sync(~0U, value, other);
  return value;
}

/// Each warp handles a place, and each thread a column of one of its four windows.
__global__ void texture_kernel(LumaLevel level, TextureGrid grid, TexturedPoint* points) {
  const int place = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y);
  if (place >= grid.places()) return;
  const int window = static_cast<int>(threadIdx.x) / kFlowWindow;
  const std::ptrdiff_t stride = level.size.width;
  const std::uint8_t* at = level.samples + grid.top(place, window) * stride +
                           grid.left(place, window) + threadIdx.x % kFlowWindow;
  int xx = 0;
  int xy = 0;
  int yy = 0;
  for (int y = 0; y < kFlowWindow; ++y, at += stride) {
    const int gx = at[1] - at[-1];
    const int gy = at[stride] - at[-stride];
    xx += gx * gx;
    xy += gx * gy;
    yy += gy * gy;
  }
  const float texture = texture_of(sum_of_group(xx), sum_of_group(xy), sum_of_group(yy));
  TexturedPoint best;
  for (int i = 0; i < 4; ++i) {
    const float its = __shfl_sync(~0U, texture, i * kFlowWindow);
    if (its > best.texture)
      best = {TextureGrid::middle(grid.left(place, i), grid.top(place, i), level.scale), its};
  }
  if (threadIdx.x == 0) points[place] = best;
}

// --- following points ---

/// kFlowWindow threads follow a point together. Each thread has a column of the window.
struct Group {
  int column;
  unsigned mask;  ///< the group's lanes in its warp

  __device__ Group()
      : column(static_cast<int>(threadIdx.x) % kFlowWindow),
        mask(((1U << kFlowWindow) - 1) << (threadIdx.x % kWarp / kFlowWindow * kFlowWindow)) {}

  /// Adds the values in the order of the columns, as on the host.
  [[nodiscard]] __device__ float sum(float value) const {
    float total = 0;
    for (int i = 0; i < kFlowWindow; ++i) total += __shfl_sync(mask, value, i, kFlowWindow);
    return total;
  }
};

/// Returns a sample; outside of the level, the nearest sample of its edge.
__device__ float sample_at(const LumaLevel& level, int x, int y) {
  const int column = min(max(x, 0), level.size.width - 1);
  const int row = min(max(y, 0), level.size.height - 1);
  return level.samples[static_cast<std::size_t>(row) * level.size.width + column];
}

/// Holds a column of a window of the first picture with its gradients, and the inverse of the
/// gradients' matrix of all columns.
struct Template {
  float grey[kFlowWindow];
  float gx[kFlowWindow];
  float gy[kFlowWindow];
  FlowMatrix inverse;

  __device__ Template(const Group& group, const LumaLevel& level, Point centre) {
    constexpr int kRimmed = kFlowWindow + 2;  // one more sample on each side, for gradients
    const WindowPlace place(centre, kRimmed);
    const int x = place.x + group.column;
    float above = 0;  // this column's sample two rows above `middle`
    float upper[4];
    for (int i = 0; i < 4; ++i) upper[i] = sample_at(level, x + i, place.y);
    float xx = 0;
    float xy = 0;
    float yy = 0;
    float row_gx = 0;
    float row_grey = 0;
#pragma unroll
    for (int row = 0; row < kRimmed; ++row) {
      float lower[4];
      for (int i = 0; i < 4; ++i) lower[i] = sample_at(level, x + i, place.y + row + 1);
      const float left = place.between(upper[0], upper[1], lower[0], lower[1]);
      const float middle = place.between(upper[1], upper[2], lower[1], lower[2]);
      const float right = place.between(upper[2], upper[3], lower[2], lower[3]);
      if (row >= 2) {  // the values of the previous row are complete now
        const int y = row - 2;
        grey[y] = row_grey;
        gx[y] = row_gx;
        gy[y] = (middle - above) / 2;
        xx += gx[y] * gx[y];
        xy += gx[y] * gy[y];
        yy += gy[y] * gy[y];
      }
      above = row_grey;
      row_grey = middle;
      row_gx = (right - left) / 2;
      for (int i = 0; i < 4; ++i) upper[i] = lower[i];
    }
    inverse = {group.sum(xx), group.sum(xy), group.sum(yy)};
  }

  /// Returns by how much `centre` must move to make the window of `level` more similar to this
  /// template.
  [[nodiscard]] __device__ Point step(const Group& group, const LumaLevel& level,
                                      Point centre) const {
    const WindowPlace place(centre, kFlowWindow);
    const int x = place.x + group.column;
    float upper_left = sample_at(level, x, place.y);
    float upper_right = sample_at(level, x + 1, place.y);
    float x_sum = 0;
    float y_sum = 0;
#pragma unroll
    for (int y = 0; y < kFlowWindow; ++y) {
      const float lower_left = sample_at(level, x, place.y + y + 1);
      const float lower_right = sample_at(level, x + 1, place.y + y + 1);
      const float difference =
          grey[y] - place.between(upper_left, upper_right, lower_left, lower_right);
      x_sum += gx[y] * difference;
      y_sum += gy[y] * difference;
      upper_left = lower_left;
      upper_right = lower_right;
    }
    return inverse.step(group.sum(x_sum), group.sum(y_sum));
  }
};

/// Does the same as converge() of lucas_kanade.cpp: moves `there` to the place in `to` that shows
/// the same as `here` in `from`. Positions are in samples of the level. Returns whether the place
/// was found. All threads of a group take the same branches.
__device__ bool converge(const Group& group, const LumaLevel& from, const LumaLevel& to, Point here,
                         Point& there) {
  const Template window(group, from, here);
  if (!window.inverse.textured) return false;
  Point at = there;
  float length = 0;
  for (int i = 0; i < kMostFlowSteps; ++i) {
    if (!is_inside(at, to.size)) return false;
    const Point step = window.step(group, to, at);
    at = {at.x + step.x, at.y + step.y};
    length = length_of(step);
    if (length < kFlowConverged) break;
  }
  if (!(length < kFlowDiverged) || !is_inside(at, to.size)) return false;
  there = at;
  return true;
}

/// Does the same as follow_point(): moves `guess` to the place in `to` that shows the same as
/// `point` in `from`. Returns whether the place was found.
__device__ bool follow(const Group& group, const DevicePyramid& from, const DevicePyramid& to,
                       Point point, Point& guess, int coarsest, int finest) {
  bool found = false;
  if (!is_inside(point, from.shape.picture)) return false;
  for (int i = min(coarsest, from.shape.levels - 1); i >= finest; --i) {
    const LumaLevel a = from.level(i);
    Point there{guess.x / a.scale, guess.y / a.scale};
    found = converge(group, a, to.level(i), {point.x / a.scale, point.y / a.scale}, there);
    if (found) guess = {there.x * a.scale, there.y * a.scale};
  }
  return found;
}

constexpr unsigned kPointsOfBlock = 16;

__global__ void camera_points_kernel(DevicePyramid from, DevicePyramid to,
                                     const TexturedPoint* points, int count,
                                     FollowedPoint* followed) {
  const int i = static_cast<int>(blockIdx.x * kPointsOfBlock + threadIdx.x / kFlowWindow);
  if (i >= count) return;
  const Group group;
  const TexturedPoint point = points[i];
  Point place = point.at;
  const int finest = from.shape.coarse();
  const bool found = point.texture > 0 &&
                     follow(group, from, to, point.at, place, finest + kLevelsOfCamera - 1, finest);
  if (group.column == 0) followed[i] = {place, found ? 1 : 0};
}

/// Each block handles a step, and each group a point.
__global__ void box_points_kernel(const __grid_constant__ StepBatch batch, FollowedPoint* moved) {
  const int i = static_cast<int>(threadIdx.x) / kFlowWindow;
  const DeviceStep& step = batch.steps[blockIdx.x];
  if (i >= step.grid * step.grid) return;
  const Group group;
  const DevicePyramid from{step.from, batch.shape};
  const DevicePyramid to{step.to, batch.shape};
  const Point point = point_of(step.box, step.grid, i);
  const Point guess = step.camera(point);
  Point there = guess;
  bool found = follow(group, from, to, point, there, step.finest + kLevelsOfBox - 1, step.finest);
  if (found) {
    Point back = point;
    const float tolerance = return_tolerance(PyramidShape::scale(step.finest));
    found = follow(group, to, from, there, back, step.finest, step.finest) &&
            fmaxf(fabsf(back.x - point.x), fabsf(back.y - point.y)) < tolerance;
  }
  if (group.column == 0)
    moved[blockIdx.x * kMostGrid * kMostGrid + i] = {{there.x - guess.x, there.y - guess.y},
                                                     found ? 1 : 0};
}

}  // namespace

void enqueue_pyramid(const Frame& frame, const PyramidShape& shape, std::uint8_t* samples,
                     cuda::StreamView stream) {
  const LumaCells cells(frame.format, frame.size, frame.orientation);
  const Size first = shape.size(0);
  const dim3 blocks(blocks_for(first.width, kTile), blocks_for(first.height, kTile));
  const dim3 threads(kTile, kTileRows);
  const Plane& plane = frame.planes[0];
  if (frame.format.bytes_per_sample() == 1)
    pyramid_kernel<std::uint8_t><<<blocks, threads, 0, stream.get()>>>(
        plane.data, plane.stride, cells, frame.orientation, shape, samples);
  else
    pyramid_kernel<std::uint16_t><<<blocks, threads, 0, stream.get()>>>(
        plane.data, plane.stride, cells, frame.orientation, shape, samples);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void enqueue_counts(const LumaLevel& level, std::uint32_t* counts, cuda::StreamView stream) {
  const dim3 blocks(kHistogramCells * kHistogramCells, kSlices);
  counts_kernel<<<blocks, kCounters, 0, stream.get()>>>(level, counts);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void enqueue_textured_points(const LumaLevel& level, TexturedPoint* points,
                             cuda::StreamView stream) {
  constexpr unsigned kPlaces = 4;  // places for each block
  const TextureGrid grid(level.size);
  if (grid.places() == 0) return;
  texture_kernel<<<blocks_for(grid.places(), kPlaces), dim3(kWarp, kPlaces), 0, stream.get()>>>(
      level, grid, points);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void enqueue_camera_points(const DevicePyramid& from, const DevicePyramid& to,
                           const TexturedPoint* points, int count, FollowedPoint* followed,
                           cuda::StreamView stream) {
  if (count == 0) return;
  camera_points_kernel<<<blocks_for(count, kPointsOfBlock), kPointsOfBlock * kFlowWindow, 0,
                         stream.get()>>>(from, to, points, count, followed);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void enqueue_box_points(const StepBatch& batch, FollowedPoint* moved, cuda::StreamView stream) {
  if (batch.count == 0) return;
  constexpr unsigned kThreads = kMostGrid * kMostGrid * kFlowWindow;
  box_points_kernel<<<static_cast<unsigned>(batch.count), kThreads, 0, stream.get()>>>(batch,
                                                                                       moved);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::track
