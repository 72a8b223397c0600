// These kernels run a cascade on a CUDA device. They turn a frame in device memory into candidates
// in order.
//
// A frame's levels are cut into tiles of places. Blocks take tiles from a counter. For each tile, a
// block makes the pixels from the frame's grey picture, sums them up in shared memory, and sends
// the tile's windows through the stages. Most windows fail in the first stages, which have the
// fewest trees. There each lane has a window, and after each stage the remaining windows are moved
// together. The few windows that go on lie far apart. Then each warp has a window, and its lanes
// share the trees of each stage.
//
// Whether OpenCV leaves out a window depends on the windows to its left in the row, also in other
// tiles. If a tile can't know this, it keeps the window, and it records which windows fail in the
// first stage. When all tiles are done, the windows that OpenCV leaves out are removed.
#pragma once

#include <cstdint>
#include <iterator>

#include "core/cuda/detections.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "core/geometry.h"
#include "core/host_device.h"
#include "detector/cascade/levels.h"
#include "nms/similar.h"

namespace facepipe::detector::cascade {

/// Number of neighbouring places in a row whose bits are one word.
inline constexpr int kWordPlaces = 32;
/// Columns, and most rows, of a tile's places. ScanPlan::tile_rows tells the rows.
inline constexpr int kTileColumns = 64;
inline constexpr int kMostTileRows = 96;

/// Places a pixel of a level along one axis. It lies between two pixels of the picture: `first` and
/// the next one. `weight` is the weight of the second one in 256ths, or 0 if there is none.
struct alignas(4) AxisPixel {
  std::uint16_t first = 0;
  std::uint16_t weight = 0;
};

struct DeviceLevel {
  float scale = 1;
  std::int32_t step = 1;
  Size places;
  Size box_size;
  std::int32_t words = 0;       ///< words in a row of places
  std::int32_t first_word = 0;  ///< index of its first word among the words of all levels
  std::int32_t columns = 0;     ///< index in the array of axes where its columns begin
  std::int32_t rows = 0;        ///< index in the array of axes where its rows begin
};

/// A tile: its level and its first place.
struct DeviceTile {
  std::int32_t level = 0;
  std::int32_t column = 0;
  std::int32_t row = 0;
};

/// A decision of any tree, for one layout of sums in shared memory. A child that is 0 is a leaf.
struct alignas(16) DeviceNode {
  std::int32_t corners[12] = {};  ///< see FeatureTable
  std::int32_t weights[3] = {};   ///< 0 for rectangles that don't exist
  float threshold = 0;
  std::int32_t left = 0;   ///< distance to the left child, in nodes
  std::int32_t right = 0;  ///< distance to the right child, in nodes
  float left_leaf = 0;
  float right_leaf = 0;
};

struct alignas(16) Words {
  std::uint32_t word[4] = {};
};

/// Tells how often a stump counts the sum at each corner of its rectangles, by y and x. Nearly all
/// stumps of trained cascades are of a few kinds.
struct StumpKind {
  std::int32_t corners = 0;
  std::int32_t counts[12] = {};
};
inline constexpr StumpKind kStumpKinds[] = {
    {6, {1, -1, -2, 2, 1, -1}},            // two rectangles, one above the other
    {6, {1, -2, 1, -1, 2, -1}},            // two rectangles, side by side
    {8, {1, -1, -3, 3, 3, -3, -1, 1}},     // three rectangles, one above the other
    {8, {1, -3, 3, -1, -1, 3, -3, 1}},     // three rectangles, side by side
    {9, {1, -2, 1, -2, 4, -2, 1, -2, 1}},  // two rectangles above two others
};
inline constexpr std::int32_t kKinds = std::size(kStumpKinds);
/// Stumps of any other kind. They have room for kMostCorners corners, and bring their counts.
inline constexpr std::int32_t kOtherKind = kKinds;
inline constexpr std::int32_t kMostCorners = 12;

constexpr int corners_of_kind(int kind) {
  return kind < kKinds ? kStumpKinds[kind].corners : kMostCorners;
}
/// Number of WordPairs of a stump. They hold the corners, in bytes from the window's first sum,
/// then the threshold, and then the left leaf minus the right leaf.
constexpr int stump_pairs(int kind) { return (corners_of_kind(kind) + 3) / 2; }
/// Number of WordPairs before a run of stumps of one kind. They hold the kind and the number of
/// stumps; for kOtherKind, the counts follow.
constexpr int run_head_pairs(int kind) { return kind < kKinds ? 1 : 1 + kMostCorners / 2; }

/// The words that one load into a register of the warp reads.
struct alignas(8) WordPair {
  std::uint32_t word[2] = {};
};

/// Runs of stumps of all stages that have a window a lane, by the places' step. They are a
/// parameter of the kernel, because all lanes of a warp need the same word at once. A word from a
/// parameter goes to a register of the warp, and a load from shared memory adds this register to
/// the lane's own address without an instruction. A word in shared memory would need a load, and
/// each use of it an addition (7 % of a frame's time on an H100).
inline constexpr int kMostStumpPairs = 1950;  // parameters have room for 32,764 bytes
struct StumpWords {
  WordPair pairs[2][kMostStumpPairs] = {};
};

/// 32 stumps of a stage, for a window a warp. The first blocks have the stumps with the most
/// corners. A corner is a word: its lower half is the distance in sums, its upper half is how often
/// the sum there counts. Each stump's corners are ordered so that lanes, which read one corner
/// each, meet in few banks of shared memory.
struct StumpBlock {
  Words first[3][32];  ///< nine corners; threshold, left and right leaf
  Words more[32];      ///< three corners
  std::int32_t most_corners = 0;
};

/// Leaves are added up as whole numbers of 1 / `units`, in any order. If a sum is so near to the
/// threshold that rounding could matter, it is computed again, exactly. Sums in single precision
/// would be too coarse: the thresholds of many cascades are 1e-5 below a sum that occurs often.
struct DeviceStage {
  std::int32_t first_tree = 0;
  std::int32_t tree_count = 0;
  float threshold = 0;
  float units = 0;               ///< number of units in 1, a power of two
  std::int32_t passes_from = 0;  ///< a sum of this or more is surely not below the threshold
  std::int32_t fails_below = 0;  ///< a sum below this is surely below the threshold
  // These members are used if all trees are stumps.
  /// for a window a lane: index of its first pair in StumpWords::pairs
  std::int32_t first_pair = 0;
  std::int32_t runs = 0;    ///< for a window a lane: number of runs
  std::int32_t rights = 0;  ///< for a window a lane: sum of all right leaves
  std::int32_t first_block = 0;
};

/// The layout of a tile's sums, as in TileLayout.
struct SumsLayout {
  std::int32_t stride = 0;
  std::int32_t odd = 0;
};

/// Tells the kernels what the picture is like.
struct PicturePlan {
  Size upright;
  Size stored;
  Orientation orientation;
  std::int32_t shift = 0;
  std::int32_t wide = 0;    ///< 1: samples have 16 bits; 0: they have 8
  std::int32_t values = 0;  ///< number of values of a sample: 2^bits
  /// tables for all values: first for limited range, then for full range
  const std::uint8_t* grey_levels = nullptr;
};

/// The stages and their trees, and how tiles are divided for them.
struct CascadePlan {
  Size window;
  std::int32_t stage_count = 0;
  /// number of first stages, at least one, that have a window a lane
  std::int32_t lane_stages = 0;
  std::int32_t only_stumps = 0;  ///< 1: stumps are stored in runs and blocks; 0: nodes are walked
  const DeviceStage* stages = nullptr;
  const std::int32_t* roots = nullptr;  ///< first node of each tree, in both arrays of nodes
  // These arrays are indexed by the places' step - 1.
  const DeviceNode* nodes[2] = {};
  const StumpBlock* blocks[2] = {};
  SumsLayout layouts[2];
  std::int32_t tile_rows[2] = {};
};

/// The levels of the picture, and the tiles of all of them.
struct LevelsPlan {
  std::int32_t count = 0;
  std::int32_t tile_count = 0;
  std::int32_t word_count = 0;
  const DeviceLevel* all = nullptr;
  const DeviceTile* tiles = nullptr;
  const AxisPixel* axes = nullptr;
};

/// All facts that stay the same from frame to frame. Arrays are in device memory.
struct ScanPlan {
  PicturePlan picture;
  CascadePlan cascade;
  LevelsPlan levels;
};

/// Returns the size in pixels of a full tile, by the step of its places.
inline Size tile_size(const ScanPlan& plan, int step) {
  return {(kTileColumns - 1) * step + plan.cascade.window.width,
          (plan.cascade.tile_rows[step - 1] - 1) * step + plan.cascade.window.height};
}

/// Counters that change while a frame is scanned.
struct ScanCounts {
  std::uint32_t next_tile = 0;
  std::uint32_t found = 0;  ///< number of windows that pass all stages
};

/// The device memory of one frame.
struct ScanBuffers {
  ScanCounts* counts = nullptr;
  std::uint8_t* grey = nullptr;     ///< the upright picture, rows of grey_stride() bytes
  std::uint32_t* failed = nullptr;  ///< a bit a place: 1 if the window fails in the first stage
  std::uint32_t* passed =
      nullptr;  ///< a bit a place: 1 if the window passes all stages; OpenCV may still leave it out
  std::uint32_t* found = nullptr;          ///< room for `capacity` places, in any order
  nms::WholeBox* found_windows = nullptr;  ///< the windows of these places
  nms::WholeBox* windows = nullptr;        ///< the same windows in order
  float* scores = nullptr;                 ///< their scores, in the same order
  std::uint32_t capacity = 0;
};

FACEPIPE_HOST_DEVICE constexpr int grey_stride(Size picture) { return (picture.width + 3) / 4 * 4; }

/// Returns how many blocks of tiles the current device runs at once. Lets the kernel use all the
/// shared memory that a block may have. Errors: device, if that isn't enough.
[[nodiscard]] int tile_blocks(const ScanPlan& plan);

/// Makes `grey` of the frame, and fills `failed` and `passed`. `blocks` is what tile_blocks()
/// returned.
void launch_tiles(const FrameDescriptor* frame, const ScanPlan& plan, const StumpWords& stumps,
                  const ScanBuffers& buffers, int blocks, cuda::StreamView stream);

/// Lists the windows that have passed, without those that OpenCV leaves out.
void launch_listing(const ScanPlan& plan, const ScanBuffers& buffers, cuda::StreamView stream);

/// Tells which of the windows that were found are candidates.
struct Selection {
  float score_threshold =
      0.5F;  ///< windows with a higher agreement_score() are candidates, clipped to the picture
  bool every_window = false;  ///< true: all windows are candidates, with score 1 and not clipped
};

/// Writes the candidates by level, row and column. If there are more windows than buffers.capacity,
/// to.count exceeds to.capacity.
void launch_selection(const ScanPlan& plan, const ScanBuffers& buffers, const Selection& selection,
                      const cuda::DeviceDetections& to, cuda::StreamView stream);

}  // namespace facepipe::detector::cascade
