// Declares the kernels that find channel features on a CUDA device. They turn a frame in device
// memory into candidates in a fixed order. The method is that of Van Ranst et al., but the channels
// of all scales are made at the same time, and threads share the trees differently.
//
// First the picture becomes LUV. If scales need it, a picture of half its size is made, too. Then
// each block makes a tile of a real scale. Smoothing, gradients, their normalization and the cells
// of all ten channels stay in shared memory. Then each warp makes a strip of one of the other
// scales, channel after channel. The cells of all scales lie in planes of the same stride. So a
// tree's feature always has the same distance from its window, and all threads use the same offset
// for it.
//
// Blocks take tiles of windows from a counter. A block copies the tile's cells to shared memory,
// and evaluates the trees for its windows, one window per thread. Most windows are rejected after a
// few trees. So after 8, 32, 64 ... trees, the remaining windows are moved together. When few
// windows are left, the lanes of a warp share the trees of a window. Each lane can evaluate its
// part of the trees without the trees before it. The result of a part has two numbers: the sum of
// its leaves, and the least value of this sum after any of its trees.
//
// If memory can't hold the cells of all scales, the scales are processed in batches, one after the
// other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cuda/detections.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/launch.h"
#include "core/cuda/stream.h"
#include "core/geometry.h"
#include "core/host_device.h"
#include "detector/acf/pyramid.h"

namespace facepipe::detector::acf {

/// Size of a tile of a real scale, in cells. One block makes a tile.
inline constexpr Size kRealTile{16, 16};
/// Size of a strip of any scale, in cells. Two more lanes of the warp have the columns beside the
/// strip.
inline constexpr Size kStrip{30, 8};
/// A resampled cell is a sum of at most this many cells in each direction. Its source is at most
/// half an octave away, or less than an octave if there is no nearer scale.
inline constexpr int kMostCellTaps = 3;
/// A block scans tiles. A tile consists of positions of the window: kScanColumns columns, and at
/// most kMostScanRows rows.
inline constexpr int kScanColumns = 32;
inline constexpr int kMostScanRows = 32;
/// Shared memory that the lists need for each place, in samples. The cells need shared memory, too.
inline constexpr int kListSamples = 2;

/// Describes taps on the device. Their indices and weights begin at `first` in the arrays of all
/// taps.
struct DeviceTaps {
  std::int32_t first = 0;
  std::int32_t length = 0;
  std::int32_t count = 0;  ///< number of taps of a sample; 0 if the size stays the same
};

/// If a sample of a real scale is a sum of at most this many source samples in each direction, the
/// kernel that makes tiles also resamples the source. A limit of three would make pictures of 1080p
/// faster. But it would take more registers and slow down all tiles.
inline constexpr int kMostTileTaps = 2;

/// Says from which picture the tiles of a real scale are made.
enum class TileSource : std::int32_t {
  as_it_is,  ///< the picture or the half picture, if it has the scale's size
  /// the picture or the half picture, which the tile resamples with kMostTileTaps samples in each
  /// direction
  tile_taps,
  resized  ///< a picture that an earlier kernel has resampled
};

struct DeviceReal {
  Size cells;
  TileSource source = TileSource::as_it_is;
  std::int32_t of_half = 0;  ///< 1 if the scale is made from the half picture
  DeviceTaps across;
  DeviceTaps down;
  std::int64_t resized = 0;  ///< first sample in AcfBuffers::resized
  /// index of the scale's first cell; its cells are in planes of cells.width * cells.height
  std::int64_t first = 0;
};

struct DeviceScale {
  Scale scale;
  std::int32_t real = 0;  ///< index of the real scale from which it is made
  DeviceTaps across;
  DeviceTaps down;
  std::int32_t first_cell = 0;    ///< index of its first padded cell in each plane of its batch
  std::uint32_t first_place = 0;  ///< number of places of all scales before it
};

/// Describes a part of a scale. `column` and `row` are the position of its first cell or place.
struct Part {
  std::int32_t scale = 0;  ///< index of the scale, or of the real scale
  std::int32_t column = 0;
  std::int32_t row = 0;
};

/// A PlacedTree in the device's form. Offsets are in bytes, from the window's first cell in the
/// first channel.
struct alignas(16) DeviceTree {
  std::int32_t offsets[3] = {};
  float thresholds[3] = {};
  std::int32_t leaves[4] = {};
};

/// A warp evaluates kWarpTrees trees of a window at once. Each lane evaluates kLaneRun successive
/// trees.
inline constexpr int kLaneRun = 4;
inline constexpr int kWarpTrees = 32 * kLaneRun;

/// Describes the layout of the cells that a block scans. The cells are in shared memory if they fit
/// there, otherwise in global memory.
struct ScanLayout {
  std::int32_t in_shared = 0;  ///< 1 if the cells are copied to shared memory
  std::int32_t rows = 0;       ///< largest number of rows of places in a tile
  std::int32_t stride = 0;     ///< number of samples from one row to the next
  std::int64_t plane = 0;      ///< number of samples of each channel
};

/// Describes scales that are in memory at the same time.
struct BatchPlan {
  std::int32_t number = 0;
  std::int32_t first_scale = 0;
  std::int32_t scales = 0;
  std::int32_t first_strip = 0;
  std::int32_t strips = 0;
  std::int32_t first_tile = 0;
  std::int32_t tiles = 0;
};

struct PicturePlan {
  Size upright;
  Size stored;
  Orientation orientation;
  std::int32_t wide = 0;  ///< 1 if samples have 16 bits, 0 if they have 8
  float to_byte = 1;      ///< the factor by which a sample is multiplied to become an 8-bit sample
  Size half;              ///< empty if there is no half picture
  DeviceTaps half_across;
  DeviceTaps half_down;
  const float* lightness = nullptr;  ///< lightness_table()
};

/// Holds the taps of all resampling. Each DeviceTaps describes a part of these arrays.
struct TapTables {
  const std::int32_t* index = nullptr;
  const float* weight = nullptr;
};

/// Holds the scales, and the parts of each scale that a block works on.
struct PyramidPlan {
  std::int32_t real_tiles = 0;
  std::int32_t resized_row_count = 0;
  std::int32_t resized_width = 0;  ///< length of the longest of the resized rows
  std::int32_t scale_count = 0;
  Size padding;             ///< padding on each side, in cells
  std::int32_t stride = 0;  ///< number of samples from one row to the next in the planes of a batch
  std::int64_t plane = 0;   ///< number of samples of each plane of a batch
  const DeviceReal* real = nullptr;
  const DeviceScale* scales = nullptr;
  const Part* real_parts = nullptr;
  const Part* resized_rows = nullptr;
  const Part* strips = nullptr;
  const Part* tiles = nullptr;
};

/// Holds the trees, and the limits by which a window is accepted or rejected.
struct ClassifierPlan {
  std::int32_t tree_count = 0;
  std::int32_t threshold = 0;  ///< rejects a window whose sum so far is this or less
  std::int32_t least_sum = 0;  ///< rejects a window whose sum of all leaves is less
  ScoreCurve curve;
  Size window;  ///< size in cells
  ScanLayout scan;
  /// All trees, padded with empty trees to a multiple of kWarpTrees.
  const DeviceTree* trees = nullptr;
  /// The same trees in blocks of kWarpTrees. A block has the first trees of all lanes, then the
  /// second trees of all lanes, and so on.
  const DeviceTree* warp_trees = nullptr;
};

/// Holds everything that is the same for all frames. The arrays are in device memory.
struct AcfPlan {
  cuda::Overlap overlap = cuda::Overlap::none;  ///< how each kernel overlaps the previous kernel
  PicturePlan picture;
  TapTables taps;
  PyramidPlan pyramid;
  ClassifierPlan classifier;
};

/// Describes a window that passes: its index among the places of all scales, and the sum of its
/// leaves.
struct SummedPlace {
  std::uint32_t place = 0;
  std::int32_t sum = 0;
  friend bool operator==(const SummedPlace&, const SummedPlace&) = default;
};

/// Refers to the device memory of one frame.
struct AcfBuffers {
  std::uint32_t* found_count = nullptr;  ///< number of windows that pass, in all batches
  /// number of the next tile of each batch; directly after found_count in memory
  std::uint32_t* next_tiles = nullptr;
  std::uint32_t counts = 0;      ///< number of all counters: found_count and next_tiles
  float* luv = nullptr;          ///< three planes of the upright picture
  float* half = nullptr;         ///< three planes of the half picture
  float* resized = nullptr;      ///< three planes of each real scale that is TileSource::resized
  float* real = nullptr;         ///< channels of the real scales
  float* cells = nullptr;        ///< kChannels planes of a batch
  SummedPlace* found = nullptr;  ///< room for `capacity` windows that pass, in any order
  Box* boxes = nullptr;          ///< the boxes of the found windows, clipped to the picture
  std::uint32_t capacity = 0;
};

/// Refers to three planes with the LUV of a picture.
struct LuvPicture {
  float* planes;
  Size size;
};

/// Returns the picture from which a real scale is made. Must not be called for a scale that is
/// TileSource::resized.
FACEPIPE_HOST_DEVICE inline LuvPicture source_of(const AcfPlan& plan, const AcfBuffers& buffers,
                                                 const DeviceReal& real) {
  return real.of_half != 0 ? LuvPicture{buffers.half, plan.picture.half}
                           : LuvPicture{buffers.luv, plan.picture.upright};
}

/// Makes the LUV of the frame in all sizes from which tiles are made. Sets the counters to 0.
void launch_luv(const FrameDescriptor* frame, const AcfPlan& plan, const AcfBuffers& buffers,
                cuda::StreamView stream);

/// Allows the kernel of launch_real() to use the shared memory that it needs on the current device.
/// Throws Error(device) if the device has less.
void prepare_real();

/// Makes the channels of all real scales.
void launch_real(const AcfPlan& plan, const AcfBuffers& buffers, cuda::StreamView stream);

/// Makes the padded cells of a batch of scales.
void launch_cells(const AcfPlan& plan, const BatchPlan& batch, const AcfBuffers& buffers,
                  cuda::StreamView stream);

/// Returns how kernels can overlap on the current device. Throws Error(device) if CUDA fails.
[[nodiscard]] cuda::Overlap kernel_overlap();

/// Returns how many samples fit in the shared memory of a block of launch_scan() on the current
/// device. The block's lists of places count, too.
[[nodiscard]] std::size_t shared_samples();

/// Returns how many blocks of launch_scan() the current device can run at the same time. Allows the
/// kernel to use the shared memory that it needs. Throws Error(device) if CUDA fails.
[[nodiscard]] int scan_blocks(const AcfPlan& plan);

/// Finds the windows of a batch that pass, and appends them to buffers.found.
void launch_scan(const AcfPlan& plan, const BatchPlan& batch, const AcfBuffers& buffers, int blocks,
                 cuda::StreamView stream);

/// Writes the scores and the boxes of the windows that were found, ordered by scale, row and
/// column. If more than buffers.capacity windows have passed, to.count exceeds to.capacity.
void launch_selection(const AcfPlan& plan, const AcfBuffers& buffers,
                      const cuda::DeviceDetections& to, cuda::StreamView stream);

}  // namespace facepipe::detector::acf
