// Declares the kernels that run a cascade on a CUDA device. They turn a frame in device memory into
// candidates in a fixed order.
//
// A frame's levels are divided into tiles of places. Blocks take tiles from a counter. For each
// tile, a block makes the pixels from the frame's grey picture, computes their sums in shared
// memory, and evaluates the stages for the tile's windows. Most windows fail in the first stages,
// which have the fewest trees. In these stages, each lane evaluates a window. After each stage, the
// remaining windows are moved together. Only a few windows are left after these stages. Then each
// warp evaluates a window, and its lanes share the trees of each stage.
//
// OpenCV skips some windows (skipping.h). Whether it skips a window depends on the windows to its
// left in the row, also in other tiles. If a tile can't know this, it keeps the window. It also
// records which windows fail in the first stage. When all tiles are done, the windows that OpenCV
// skips are removed.
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

/// Number of neighbouring places in a row whose bits are in one word.
inline constexpr int kWordPlaces = 32;
/// A tile of places has kTileColumns columns and at most kMostTileRows rows. CascadePlan::tile_rows
/// holds the number of rows.
inline constexpr int kTileColumns = 64;
inline constexpr int kMostTileRows = 96;

/// Says from which pixels of the picture a pixel of a level is made, along one axis. The level's
/// pixel lies between pixel `first` of the picture and the next pixel. `weight` is the weight of
/// the next pixel in 256ths, or 0 if there is no next pixel.
struct alignas(4) AxisPixel {
  std::uint16_t first = 0;
  std::uint16_t weight = 0;
};

struct DeviceLevel {
  float scale = 1;
  std::int32_t step = 1;
  Size places;
  Size box_size;
  std::int32_t words = 0;       ///< number of words in a row of places
  std::int32_t first_word = 0;  ///< index of its first word among the words of all levels
  std::int32_t columns = 0;     ///< index in the array of axes where its columns begin
  std::int32_t rows = 0;        ///< index in the array of axes where its rows begin
};

/// Describes a tile: its level and its first place.
struct DeviceTile {
  std::int32_t level = 0;
  std::int32_t column = 0;
  std::int32_t row = 0;
};

/// Describes a decision of any tree, for one layout of sums in shared memory. If the distance to a
/// child is 0, the child is a leaf.
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

/// Holds the factor of the sum at each corner of a stump's rectangles, ordered by y and x. Nearly
/// all stumps of trained cascades are of these few kinds.
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
/// The kind of all other stumps. They have room for kMostCorners corners, and the head of their run
/// has their factors.
inline constexpr std::int32_t kOtherKind = kKinds;
inline constexpr std::int32_t kMostCorners = 12;

constexpr int corners_of_kind(int kind) {
  return kind < kKinds ? kStumpKinds[kind].corners : kMostCorners;
}
/// Returns the number of WordPairs of a stump. The pairs hold the corners, in bytes from the
/// window's first sum, then the threshold, and then the left leaf minus the right leaf.
constexpr int stump_pairs(int kind) { return (corners_of_kind(kind) + 3) / 2; }
/// Returns the number of WordPairs before a run of stumps of one kind. The pairs hold the kind and
/// the number of stumps. For kOtherKind, the factors (StumpKind::counts) follow.
constexpr int run_head_pairs(int kind) { return kind < kKinds ? 1 : 1 + kMostCorners / 2; }

/// Holds two words, which one load reads into uniform registers (registers that the lanes of a warp
/// share).
struct alignas(8) WordPair {
  std::uint32_t word[2] = {};
};

/// Holds the runs of stumps of all stages in which each lane evaluates a window. `pairs` is indexed
/// by the places' step - 1. The runs are a parameter of the kernel, because all lanes of a warp
/// need the same word at the same time. The kernel loads a word of a parameter into a uniform
/// register, and a load from shared memory adds this register to the lane's own address without
/// another instruction. A word in shared memory would need a load, and each use of it would need an
/// addition (7 % of a frame's time on an H100).
inline constexpr int kMostStumpPairs = 1950;  // parameters have room for 32,764 bytes
struct StumpWords {
  WordPair pairs[2][kMostStumpPairs] = {};
};

/// Holds 32 stumps of a stage in which each warp evaluates a window. The first blocks hold the
/// stumps with the most corners. A corner is a word: its lower half is the distance in sums, and
/// its upper half is the factor of the sum at the corner. All lanes read one corner at a time. Each
/// stump's corners are ordered so that few of these reads are from the same bank of shared memory.
struct StumpBlock {
  Words first[3][32];  ///< nine corners; threshold, left and right leaf
  Words more[32];      ///< three corners
  std::int32_t most_corners = 0;
};

/// Describes a stage. Its leaves are added up as whole numbers in units of 1 / `units`, in any
/// order. If the sum is so near to the threshold that rounding could matter, the sum is computed
/// again, exactly. Sums in single precision would not be precise enough: the thresholds of many
/// cascades are only 1e-5 below a sum that occurs often.
struct DeviceStage {
  std::int32_t first_tree = 0;
  std::int32_t tree_count = 0;
  float threshold = 0;
  float units = 0;               ///< number of units in 1, a power of two
  std::int32_t passes_from = 0;  ///< a sum of this or more is certainly not below the threshold
  std::int32_t fails_below = 0;  ///< a sum below this is certainly below the threshold
  // These members are used if all trees are stumps.
  /// if each lane evaluates a window: index of the first pair in StumpWords::pairs
  std::int32_t first_pair = 0;
  std::int32_t runs = 0;    ///< if each lane evaluates a window: number of runs
  std::int32_t rights = 0;  ///< if each lane evaluates a window: sum of all right leaves
  std::int32_t first_block = 0;
};

/// Describes the layout of a tile's sums, as TileLayout does.
struct SumsLayout {
  std::int32_t stride = 0;
  std::int32_t odd = 0;
};

struct PicturePlan {
  Size upright;
  Size stored;
  Orientation orientation;
  std::int32_t shift = 0;
  std::int32_t wide = 0;    ///< 1 if samples have 16 bits, 0 if they have 8
  std::int32_t values = 0;  ///< number of values of a sample: 2^bits
  /// two tables of all values: first for limited range, then for full range
  const std::uint8_t* grey_levels = nullptr;
};

/// Holds the stages and their trees, and says how tiles are divided for them.
struct CascadePlan {
  Size window;
  std::int32_t stage_count = 0;
  /// number of first stages, at least 1, in which each lane evaluates a window
  std::int32_t lane_stages = 0;
  std::int32_t only_stumps = 0;  ///< 1: kernels use runs and blocks of stumps; 0: they use nodes
  const DeviceStage* stages = nullptr;
  const std::int32_t* roots = nullptr;  ///< first node of each tree, in both arrays of nodes
  // These arrays are indexed by the places' step - 1.
  const DeviceNode* nodes[2] = {};
  const StumpBlock* blocks[2] = {};
  SumsLayout layouts[2];
  std::int32_t tile_rows[2] = {};
};

/// Holds the levels of the picture, and the tiles of all levels.
struct LevelsPlan {
  std::int32_t count = 0;
  std::int32_t tile_count = 0;
  std::int32_t word_count = 0;
  const DeviceLevel* all = nullptr;
  const DeviceTile* tiles = nullptr;
  const AxisPixel* axes = nullptr;
};

/// Holds everything that is the same for all frames. The arrays are in device memory.
struct ScanPlan {
  PicturePlan picture;
  CascadePlan cascade;
  LevelsPlan levels;
};

/// Returns the size in pixels of a full tile whose places have this step.
inline Size tile_size(const ScanPlan& plan, int step) {
  return {(kTileColumns - 1) * step + plan.cascade.window.width,
          (plan.cascade.tile_rows[step - 1] - 1) * step + plan.cascade.window.height};
}

/// Counters that change while a frame is scanned.
struct ScanCounts {
  std::uint32_t next_tile = 0;
  std::uint32_t found = 0;  ///< number of windows that pass all stages
};

/// Refers to the device memory of one frame.
struct ScanBuffers {
  ScanCounts* counts = nullptr;
  std::uint8_t* grey = nullptr;     ///< the upright picture, rows of grey_stride() bytes
  std::uint32_t* failed = nullptr;  ///< a bit for each place: its window fails in the first stage
  /// a bit for each place: its window passes all stages, even if OpenCV skips it
  std::uint32_t* passed = nullptr;
  std::uint32_t* found = nullptr;          ///< `capacity` places, in any order
  nms::WholeBox* found_windows = nullptr;  ///< the windows of these places
  nms::WholeBox* windows = nullptr;        ///< the same windows in order
  float* scores = nullptr;                 ///< their scores, in the same order
  std::uint32_t capacity = 0;
};

FACEPIPE_HOST_DEVICE constexpr int grey_stride(Size picture) { return (picture.width + 3) / 4 * 4; }

/// Returns how many blocks of launch_tiles() the current device can run at the same time. Allows
/// the kernel to use all the shared memory that a block may have. Throws Error(device) if the
/// kernel needs more.
[[nodiscard]] int tile_blocks(const ScanPlan& plan);

/// Makes `grey` of the frame, and fills `failed` and `passed`. `blocks` must be the result of
/// tile_blocks().
void launch_tiles(const FrameDescriptor* frame, const ScanPlan& plan, const StumpWords& stumps,
                  const ScanBuffers& buffers, int blocks, cuda::StreamView stream);

/// Lists the windows that have passed, without those that OpenCV skips.
void launch_listing(const ScanPlan& plan, const ScanBuffers& buffers, cuda::StreamView stream);

/// Says which of the found windows are candidates.
struct Selection {
  float score_threshold =
      0.5F;  ///< windows with a higher agreement_score() are candidates, clipped to the picture
  bool every_window = false;  ///< if true, all windows are candidates, with score 1 and not clipped
};

/// Writes the candidates, ordered by level, row and column. If there are more windows than
/// buffers.capacity, to.count exceeds to.capacity.
void launch_selection(const ScanPlan& plan, const ScanBuffers& buffers, const Selection& selection,
                      const cuda::DeviceDetections& to, cuda::StreamView stream);

}  // namespace facepipe::detector::cascade
