// These kernels find channel features on a CUDA device. They turn a frame in device memory into
// candidates in order. The method is that of Van Ranst et al., but the channels of all scales are
// made at once, and threads share the trees differently.
//
// First the picture becomes LUV, also at half its size if scales need it. Blocks then take tiles of
// the real scales. Smoothing, gradients, their normalization and the cells of all ten channels stay
// in shared memory. Warps take strips of the other scales, and channel after channel of each. The
// cells of all scales lie in planes of one stride. So a tree's feature is everywhere at the same
// distance from its window, and all threads use the same word for it.
//
// Blocks take tiles of windows from a counter. They copy the tile's cells to shared memory, and
// send its windows through the trees, one window a thread. Most windows are out after a few trees:
// after 8, 32, 64 ... trees the remaining windows are moved together. When few are left, warps
// share the trees. This works because each part of the trees can be walked without those before it.
// The result is what the part adds to a window's sum, and how low the sum falls meanwhile.
//
// If memory can't hold the cells of all scales, scales come in batches, one after the other.
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

/// Size in cells of a tile of a real scale. One block makes a tile.
inline constexpr Size kRealTile{16, 16};
/// Size in cells of a strip of any scale. Two more lanes of the warp have the neighbours' columns.
inline constexpr Size kStrip{30, 8};
/// Most cells, each way, that a resampled cell is a sum of. The source is half an octave away at
/// most, or less than an octave if no nearer scale exists.
inline constexpr int kMostCellTaps = 3;
/// Columns and most rows of a tile: the places of windows that a block scans.
inline constexpr int kScanColumns = 32;
inline constexpr int kMostScanRows = 32;
/// Shared memory that a place takes in the lists, in samples. The cells take more.
inline constexpr int kListSamples = 2;

/// Taps on the device. Their indices and weights begin at `first` in the arrays of all taps.
struct DeviceTaps {
  std::int32_t first = 0;
  std::int32_t length = 0;
  std::int32_t count = 0;  ///< 0: the size stays
};

/// Most source samples, each way, that a tile of a real scale sums up itself. Three would help
/// pictures of 1080p, but take more registers and slow down all tiles.
inline constexpr int kMostTileTaps = 2;

/// What a real scale's tiles are made from.
enum class TileSource : std::int32_t {
  as_it_is,  ///< the picture or the half picture, if it has the scale's size
  /// the picture or the half picture, resampled in the tile with kMostTileTaps samples each way
  tile_taps,
  resized  ///< a picture that an earlier kernel has resampled
};

struct DeviceReal {
  Size cells;
  TileSource source = TileSource::as_it_is;
  std::int32_t of_half = 0;  ///< 1: made from the half picture
  DeviceTaps across;
  DeviceTaps down;
  std::int64_t resized = 0;  ///< first sample in AcfBuffers::resized
  std::int64_t first = 0;    ///< first of its cells, which are planes of cells.width * cells.height
};

struct DeviceScale {
  Scale scale;
  std::int32_t real = 0;  ///< index of the real scale that it is made from
  DeviceTaps across;
  DeviceTaps down;
  std::int32_t first_cell = 0;    ///< index of its first padded cell in each plane of a batch
  std::uint32_t first_place = 0;  ///< number of places that the scales before it have
};

/// A part of a scale. `column` and `row` are those of its first cell or place.
struct Part {
  std::int32_t scale = 0;  ///< index of the scale, or of the real scale
  std::int32_t column = 0;
  std::int32_t row = 0;
};

/// A PlacedTree on the device. Offsets are in bytes from a window's first cell in the first
/// channel.
struct alignas(16) DeviceTree {
  std::int32_t offsets[3] = {};
  float thresholds[3] = {};
  std::int32_t leaves[4] = {};
};

/// A warp computes a window's leaves of kWarpTrees trees at once. Each lane takes kLaneRun trees
/// that follow each other.
inline constexpr int kLaneRun = 4;
inline constexpr int kWarpTrees = 32 * kLaneRun;

/// The layout of the cells that a block scans: that in shared memory if the cells fit there, else
/// that in global memory.
struct ScanLayout {
  std::int32_t in_shared = 0;  ///< 1: the cells are copied to shared memory
  std::int32_t rows = 0;       ///< most rows of places in a tile
  std::int32_t stride = 0;     ///< samples from one row to the next
  std::int64_t plane = 0;      ///< samples of each channel
};

/// Scales that are in memory at the same time.
struct BatchPlan {
  std::int32_t number = 0;
  std::int32_t first_scale = 0;
  std::int32_t scales = 0;
  std::int32_t first_strip = 0;
  std::int32_t strips = 0;
  std::int32_t first_tile = 0;
  std::int32_t tiles = 0;
};

/// Tells the kernels what the picture is like.
struct PicturePlan {
  Size upright;
  Size stored;
  Orientation orientation;
  std::int32_t wide = 0;  ///< 1: samples have 16 bits; 0: they have 8
  float to_byte = 1;      ///< factor that makes an 8-bit sample from the word of such a sample
  Size half;              ///< 0: there is no half picture
  DeviceTaps half_across;
  DeviceTaps half_down;
  const float* lightness = nullptr;  ///< lightness_table()
};

/// The taps of all resampling; each DeviceTaps is a part of them.
struct TapTables {
  const std::int32_t* index = nullptr;
  const float* weight = nullptr;
};

/// The scales, and the parts of each that a block works on.
struct PyramidPlan {
  std::int32_t real_tiles = 0;
  std::int32_t resized_row_count = 0;
  std::int32_t resized_width = 0;  ///< length of the longest of these rows
  std::int32_t scale_count = 0;
  Size padding;             ///< on each side, in cells
  std::int32_t stride = 0;  ///< samples from one row to the next in the planes of a batch
  std::int64_t plane = 0;   ///< samples of each plane of a batch
  const DeviceReal* real = nullptr;
  const DeviceScale* scales = nullptr;
  const Part* real_parts = nullptr;
  const Part* resized_rows = nullptr;
  const Part* strips = nullptr;
  const Part* tiles = nullptr;
};

/// The trees, and how a window is judged by them.
struct ClassifierPlan {
  std::int32_t tree_count = 0;
  std::int32_t threshold = 0;  ///< a window whose sum so far is this or less is out
  std::int32_t least_sum = 0;  ///< a window whose sum of all leaves is less is out
  ScoreCurve curve;
  Size window;  ///< size in cells
  ScanLayout scan;
  /// as many as a multiple of kWarpTrees; the last ones are empty
  const DeviceTree* trees = nullptr;
  /// The same trees in blocks of kWarpTrees. A block has the first trees of all lanes, then the
  /// second ones, and so on.
  const DeviceTree* warp_trees = nullptr;
};

/// All facts that stay the same from frame to frame. Arrays are in device memory.
struct AcfPlan {
  cuda::Overlap overlap = cuda::Overlap::none;  ///< how all kernels but the first overlap
  PicturePlan picture;
  TapTables taps;
  PyramidPlan pyramid;
  ClassifierPlan classifier;
};

/// A window that passes: its number among the places of all scales, and the sum of its leaves.
struct SummedPlace {
  std::uint32_t place = 0;
  std::int32_t sum = 0;
  friend bool operator==(const SummedPlace&, const SummedPlace&) = default;
};

/// The device memory of one frame.
struct AcfBuffers {
  std::uint32_t* found_count = nullptr;  ///< number of windows that pass, in all batches
  /// number of the next tile of each batch; right behind found_count
  std::uint32_t* next_tiles = nullptr;
  std::uint32_t counts = 0;      ///< number of both kinds of counters together
  float* luv = nullptr;          ///< three planes of the upright picture
  float* half = nullptr;         ///< three planes of the half picture
  float* resized = nullptr;      ///< three planes of each real scale that is TileSource::resized
  float* real = nullptr;         ///< channels of the real scales
  float* cells = nullptr;        ///< kChannels planes of a batch
  SummedPlace* found = nullptr;  ///< room for `capacity` windows that pass, in any order
  Box* boxes = nullptr;          ///< their boxes, clipped to the picture
  std::uint32_t capacity = 0;
};

/// Three planes with the LUV of a picture.
struct LuvPicture {
  float* planes;
  Size size;
};

/// Returns the picture that a real scale is made from. It is not for a scale that an earlier kernel
/// resizes.
FACEPIPE_HOST_DEVICE inline LuvPicture source_of(const AcfPlan& plan, const AcfBuffers& buffers,
                                                 const DeviceReal& real) {
  return real.of_half != 0 ? LuvPicture{buffers.half, plan.picture.half}
                           : LuvPicture{buffers.luv, plan.picture.upright};
}

/// Makes LUV of the frame, in all sizes that tiles are made from, and sets the counters to 0.
void launch_luv(const FrameDescriptor* frame, const AcfPlan& plan, const AcfBuffers& buffers,
                cuda::StreamView stream);

/// Lets the kernel of launch_real() use the shared memory that it needs on the current device.
/// Errors: device, if the device has less.
void prepare_real();

/// Makes the channels of all real scales.
void launch_real(const AcfPlan& plan, const AcfBuffers& buffers, cuda::StreamView stream);

/// Makes the padded cells of a batch of scales.
void launch_cells(const AcfPlan& plan, const BatchPlan& batch, const AcfBuffers& buffers,
                  cuda::StreamView stream);

/// Returns how kernels can overlap on the current device. Errors: device.
[[nodiscard]] cuda::Overlap kernel_overlap();

/// Returns how many samples a block of launch_scan() can have in shared memory on the current
/// device. This includes its lists of places.
[[nodiscard]] std::size_t shared_samples();

/// Returns how many blocks of launch_scan() the current device runs at once. Lets the kernel use
/// the shared memory that it needs. Errors: device.
[[nodiscard]] int scan_blocks(const AcfPlan& plan);

/// Appends to buffers.found the windows of a batch that pass.
void launch_scan(const AcfPlan& plan, const BatchPlan& batch, const AcfBuffers& buffers, int blocks,
                 cuda::StreamView stream);

/// Writes scores and boxes of the windows that were found, by scale, row and column. If more
/// windows passed than buffers.capacity, to.count exceeds to.capacity.
void launch_selection(const AcfPlan& plan, const AcfBuffers& buffers,
                      const cuda::DeviceDetections& to, cuda::StreamView stream);

}  // namespace facepipe::detector::acf
