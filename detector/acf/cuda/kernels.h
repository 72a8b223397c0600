// The kernels of a detector of channel features on a CUDA device: from a frame in device memory to
// candidates in order. After Van Ranst et al., but for the channels of all scales at once and for
// how trees are dealt to threads.
//
// The picture becomes LUV, and half of its size where scales need it. Blocks take tiles of the real
// scales: smoothing, gradients, their normalization and the cells of all ten channels stay in
// shared memory. Warps take strips of the other scales, a channel each. What windows look at are
// planes of one stride for all scales, so that a feature of a tree is the same distance everywhere:
// a word that all threads have alike.
//
// Blocks take tiles of windows from a counter, whose cells are copied to shared memory, and send
// them through the trees, a window a thread. Most windows are out after a few trees: after 8, 32,
// 64 ... what is left is moved together. Where few are left, warps share the trees: what a part of
// the trees adds to a window's sum, and how low it falls meanwhile, is known without those before.
//
// Scales whose cells are more than there is memory for come in batches, one after the other.
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

/// Cells of a real scale that a block makes.
inline constexpr Size kRealTile{16, 16};
/// Cells of any scale that a warp makes: two more lanes have their neighbours.
inline constexpr Size kStrip{30, 8};
/// Cells that one is a sum of, each way: of another scale half an octave away, or less than one.
inline constexpr int kMostCellTaps = 3;
/// Places of windows that a block scans: columns, and rows at most.
inline constexpr int kScanColumns = 32;
inline constexpr int kMostScanRows = 32;
/// Shared memory that a place takes, beside its cells, in samples.
inline constexpr int kListSamples = 2;

/// As Taps; both begin at `first` in arrays of all.
struct DeviceTaps {
  std::int32_t first = 0;
  std::int32_t length = 0;
  std::int32_t count = 0;  ///< 0: the size stays
};

/// Samples that a tile of a real scale makes one of, each way, at most. With three, which pictures
/// of 1080p have use for, it takes more registers, and all tiles are slower.
inline constexpr int kMostTileTaps = 2;

/// What a real scale's tiles are made of.
enum class TileSource : std::int32_t {
  as_it_is,   ///< the picture, or the half one, which has its size
  tile_taps,  ///< one of these, resampled in the tile: of kMostTileTaps samples each way
  resized     ///< resampled before
};

struct DeviceReal {
  Size cells;
  TileSource source = TileSource::as_it_is;
  std::int32_t of_half = 0;  ///< 1: made of the half picture
  DeviceTaps across;
  DeviceTaps down;
  std::int64_t resized = 0;  ///< first sample in AcfBuffers::resized
  std::int64_t first = 0;    ///< of its cells: planes of cells.width * cells.height
};

struct DeviceScale {
  Scale scale;
  std::int32_t real = 0;  ///< its source
  DeviceTaps across;
  DeviceTaps down;
  std::int32_t first_cell = 0;    ///< of its padded cells in each plane of a batch
  std::uint32_t first_place = 0;  ///< places of the scales before
};

/// A part of a scale: its first cell, or place.
struct Part {
  std::int32_t scale = 0;  ///< or the real scale
  std::int32_t column = 0;
  std::int32_t row = 0;
};

/// As PlacedTree: offsets in bytes from a window's first cell of the first channel.
struct alignas(16) DeviceTree {
  std::int32_t offsets[3] = {};
  float thresholds[3] = {};
  std::int32_t leaves[4] = {};
};

/// Trees of which a warp has a window's leaves at once: so many side by side are one lane's.
inline constexpr int kLaneRun = 4;
inline constexpr int kWarpTrees = 32 * kLaneRun;

/// How the cells lie that a block scans: as in shared memory, where that has room for them.
struct ScanLayout {
  std::int32_t in_shared = 0;  ///< 1: copied there
  std::int32_t rows = 0;       ///< of places
  std::int32_t stride = 0;     ///< samples from one row to the next
  std::int64_t plane = 0;      ///< of each channel
};

/// Scales that are in memory at once.
struct BatchPlan {
  std::int32_t number = 0;
  std::int32_t first_scale = 0;
  std::int32_t scales = 0;
  std::int32_t first_strip = 0;
  std::int32_t strips = 0;
  std::int32_t first_tile = 0;
  std::int32_t tiles = 0;
};

/// All that stays the same from frame to frame. Arrays are in device memory.
struct AcfPlan {
  cuda::Overlap overlap = cuda::Overlap::none;  ///< of the kernels, but the first
  // The picture.
  Size picture;  ///< upright
  Size stored;
  Orientation orientation;
  std::int32_t wide = 0;  ///< 1: samples of 16 bits
  float to_byte = 1;      ///< by which such a sample's word becomes one of 8 bits
  Size half;              ///< 0: none
  DeviceTaps half_across;
  DeviceTaps half_down;
  const float* lightness = nullptr;  ///< lightness_table()
  const std::int32_t* tap_index = nullptr;
  const float* tap_weight = nullptr;
  // The scales.
  std::int32_t real_tiles = 0;
  std::int32_t resized_row_count = 0;
  std::int32_t resized_width = 0;  ///< the longest of these rows
  std::int32_t scale_count = 0;
  Size padding;             ///< in cells
  std::int32_t stride = 0;  ///< of a batch's planes
  std::int64_t plane = 0;   ///< samples of each
  const DeviceReal* real = nullptr;
  const DeviceScale* scales = nullptr;
  const Part* real_parts = nullptr;
  const Part* resized_rows = nullptr;
  const Part* strips = nullptr;
  const Part* tiles = nullptr;
  // The trees.
  std::int32_t tree_count = 0;
  std::int32_t threshold = 0;  ///< a sum so far of this or less is out
  std::int32_t least_sum = 0;  ///< of all leaves
  ScoreCurve curve;
  Size window;  ///< in cells
  ScanLayout scan;
  const DeviceTree* trees = nullptr;  ///< filled up to a multiple of kWarpTrees
  /// The same in blocks of kWarpTrees: first the first ones of all lanes,
  /// then the second ones ...
  const DeviceTree* warp_trees = nullptr;
};

/// A window that passes: its place among those of all scales, and the sum of its leaves.
struct SummedPlace {
  std::uint32_t place = 0;
  std::int32_t sum = 0;
  friend bool operator==(const SummedPlace&, const SummedPlace&) = default;
};

/// One frame's memory on the device.
struct AcfBuffers {
  std::uint32_t* found_count = nullptr;  ///< windows of all batches that pass
  std::uint32_t* next_tiles = nullptr;   ///< of each batch, right behind it
  std::uint32_t counts = 0;              ///< of both
  float* luv = nullptr;                  ///< three planes of the upright picture
  float* half = nullptr;                 ///< likewise, of half its size
  float* resized = nullptr;      ///< likewise, of the real scales that are TileSource::resized
  float* real = nullptr;         ///< channels of the real scales
  float* cells = nullptr;        ///< kChannels planes of a batch
  SummedPlace* found = nullptr;  ///< `capacity` windows that pass, in any order
  Box* boxes = nullptr;          ///< theirs, clipped to the picture
  std::uint32_t capacity = 0;
};

/// Where a picture's LUV is: three planes.
struct LuvPicture {
  float* planes;
  Size size;
};

/// What a real scale is made of, but where it is resized before.
FACEPIPE_HOST_DEVICE inline LuvPicture source_of(const AcfPlan& plan, const AcfBuffers& buffers,
                                                 const DeviceReal& real) {
  return real.of_half != 0 ? LuvPicture{buffers.half, plan.half}
                           : LuvPicture{buffers.luv, plan.picture};
}

/// Makes LUV of the frame, in all sizes that tiles are made of, and clears the counts.
void launch_luv(const FrameDescriptor* frame, const AcfPlan& plan, const AcfBuffers& buffers,
                cuda::StreamView stream);

/// Lets the kernel of launch_real() use the shared memory that it needs on the current device.
/// Errors: device, where that has less.
void prepare_real();

/// Makes the channels of all real scales.
void launch_real(const AcfPlan& plan, const AcfBuffers& buffers, cuda::StreamView stream);

/// Makes the padded cells of a batch of them.
void launch_cells(const AcfPlan& plan, const BatchPlan& batch, const AcfBuffers& buffers,
                  cuda::StreamView stream);

/// That the current device can have. Errors: device.
[[nodiscard]] cuda::Overlap kernel_overlap();

/// Samples that a block of launch_scan() can have in shared memory on the current device, its lists
/// of places among them.
[[nodiscard]] std::size_t shared_samples();

/// Blocks of launch_scan() that the current device runs at once. Lets the kernel use the shared
/// memory that it needs. Errors: device.
[[nodiscard]] int scan_blocks(const AcfPlan& plan);

/// Appends to buffers.found what passes of a batch.
void launch_scan(const AcfPlan& plan, const BatchPlan& batch, const AcfBuffers& buffers, int blocks,
                 cuda::StreamView stream);

/// Scores and boxes of what was found, by scale, row and column. Where more windows passed than
/// buffers.capacity, to.count exceeds to.capacity.
void launch_selection(const AcfPlan& plan, const AcfBuffers& buffers,
                      const cuda::DeviceDetections& to, cuda::StreamView stream);

}  // namespace facepipe::detector::acf
