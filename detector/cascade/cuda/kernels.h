// The kernels of a cascade on a CUDA device: from a frame in device memory to candidates in order.
//
// A frame's levels are cut into tiles of places. Blocks take tiles from a counter; for each they
// make its pixels from the frame's grey picture, sum them up in shared memory, and send its windows
// through the stages. Most windows fail in the first stages, which have the fewest trees: there a
// lane has a window, and what is left after a stage is moved together. The few that go on lie far
// apart: then a warp has a window, and its lanes share each stage's trees.
//
// Which window OpenCV leaves out depends on those left of it in its row, in other tiles, too: a
// tile keeps windows of which it can't know, and writes down which fail in the first stage; what
// was kept in vain goes when all tiles are done.
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

/// Places whose bits are one word: side by side in a row.
inline constexpr int kWordPlaces = 32;
/// Columns of a tile's places, and rows at most: ScanPlan::tile_rows.
inline constexpr int kTileColumns = 64;
inline constexpr int kMostTileRows = 96;

/// Of a pixel of a level along one axis: the first of the two pixels of the picture that it lies
/// between, and the weight of the second one in 256ths, 0 where there is none.
struct alignas(4) AxisPixel {
  std::uint16_t first = 0;
  std::uint16_t weight = 0;
};

struct DeviceLevel {
  float scale = 1;
  std::int32_t step = 1;
  Size places;
  Size box_size;
  std::int32_t words = 0;       ///< of a row of places
  std::int32_t first_word = 0;  ///< of all levels' words
  std::int32_t columns = 0;     ///< where its columns begin in the array of axes
  std::int32_t rows = 0;        ///< likewise
};

/// Its first place.
struct DeviceTile {
  std::int32_t level = 0;
  std::int32_t column = 0;
  std::int32_t row = 0;
};

/// A decision of any tree, for one way in which sums lie in shared memory. A child that is 0 is a
/// leaf.
struct alignas(16) DeviceNode {
  std::int32_t corners[12] = {};  ///< as FeatureTable
  std::int32_t weights[3] = {};   ///< of rectangles that aren't there 0
  float threshold = 0;
  std::int32_t left = 0;   ///< nodes from this one on
  std::int32_t right = 0;  ///< likewise
  float left_leaf = 0;
  float right_leaf = 0;
};

struct alignas(16) Words {
  std::uint32_t word[4] = {};
};

/// How often a stump counts the sum at each corner of its rectangles, by y and x. Nearly all stumps
/// of trained cascades are of few kinds.
struct StumpKind {
  std::int32_t corners = 0;
  std::int32_t counts[12] = {};
};
inline constexpr StumpKind kStumpKinds[] = {
    {6, {1, -1, -2, 2, 1, -1}},            // two rectangles, one upon the other
    {6, {1, -2, 1, -1, 2, -1}},            // side by side
    {8, {1, -1, -3, 3, 3, -3, -1, 1}},     // three, one upon the other
    {8, {1, -3, 3, -1, -1, 3, -3, 1}},     // side by side
    {9, {1, -2, 1, -2, 4, -2, 1, -2, 1}},  // two and two
};
inline constexpr std::int32_t kKinds = std::size(kStumpKinds);
/// Stumps of any other kind, which have room for as many corners and bring their counts.
inline constexpr std::int32_t kOtherKind = kKinds;
inline constexpr std::int32_t kMostCorners = 12;

constexpr int corners_of_kind(int kind) {
  return kind < kKinds ? kStumpKinds[kind].corners : kMostCorners;
}
/// WordPairs of a stump: corners, in bytes from the window's first sum, then the threshold, and by
/// how much the left leaf exceeds the right one.
constexpr int stump_pairs(int kind) { return (corners_of_kind(kind) + 3) / 2; }
/// Before a run of stumps of one kind, the kind and how many there are; counts follow for
/// kOtherKind.
constexpr int run_head_pairs(int kind) { return kind < kKinds ? 1 : 1 + kMostCorners / 2; }

/// What one load to a register of the warp reads.
struct alignas(8) WordPair {
  std::uint32_t word[2] = {};
};

/// The runs of stumps of all stages with a window a lane, by the places' step: a parameter of the
/// kernel. All lanes of a warp need the same word at once. From a parameter it goes to a register
/// of the warp, which a load from shared memory adds to the lane's own address by itself; from
/// shared memory it would take a load, and each of its uses an addition more (on an H100 7 % of a
/// frame's time).
inline constexpr int kMostStumpPairs = 1950;  // parameters have room for 32,764 bytes
struct StumpWords {
  WordPair pairs[2][kMostStumpPairs] = {};
};

/// 32 stumps of a stage, those of most corners first, for a window a warp. A corner is a word: its
/// distance in sums, and in the upper half what the sum there counts. Each stump's corners are in
/// an order in which lanes that read one each meet in few banks of shared memory.
struct StumpBlock {
  Words first[3][32];  ///< nine corners; threshold, left and right leaf
  Words more[32];      ///< three corners
  std::int32_t most_corners = 0;
};

/// Leaves are added up as whole numbers of `unit`s, in any order. Where a sum is so near to the
/// threshold that their rounding could matter, it is made again, exactly. Sums of single precision
/// would be too coarse for that: many a cascade's threshold is 1e-5 below a sum that is attained
/// often.
struct DeviceStage {
  std::int32_t first_tree = 0;
  std::int32_t tree_count = 0;
  float threshold = 0;
  float units = 0;               ///< that make 1, a power of two
  std::int32_t passes_from = 0;  ///< a sum from this one on is not below the threshold
  std::int32_t fails_below = 0;  ///< a sum below this one is
  // Where there are only stumps.
  std::int32_t first_pair = 0;  ///< of StumpWords::pairs, of a stage with a window a lane
  std::int32_t runs = 0;        ///< likewise
  std::int32_t rights = 0;      ///< likewise: the sum of all right leaves
  std::int32_t first_block = 0;
};

/// Where the sums of a tile lie: as TileLayout.
struct SumsLayout {
  std::int32_t stride = 0;
  std::int32_t odd = 0;
};

/// All that stays the same from frame to frame. Arrays are in device memory.
struct ScanPlan {
  // The picture.
  Size picture;  ///< upright
  Size stored;
  Orientation orientation;
  std::int32_t shift = 0;
  std::int32_t wide = 0;    ///< 1: samples of 16 bits
  std::int32_t values = 0;  ///< 2^bits
  const std::uint8_t* grey_levels =
      nullptr;  ///< of all values, first of limited range, then of full range
  // The cascade.
  Size window;
  std::int32_t stage_count = 0;
  std::int32_t lane_stages = 0;  ///< the first stages, at least one: with a window a lane
  std::int32_t only_stumps = 0;  ///< 1: as runs and blocks; else nodes are walked
  const DeviceStage* stages = nullptr;
  const std::int32_t* roots = nullptr;  ///< of all trees, in both arrays of nodes
  // By the places' step.
  const DeviceNode* nodes[2] = {};
  const StumpBlock* blocks[2] = {};
  SumsLayout layouts[2];
  std::int32_t tile_rows[2] = {};
  // The levels.
  std::int32_t level_count = 0;
  std::int32_t tile_count = 0;
  std::int32_t word_count = 0;
  const DeviceLevel* levels = nullptr;
  const DeviceTile* tiles = nullptr;
  const AxisPixel* axes = nullptr;
};

/// Pixels of a full tile, by the step of its places.
inline Size tile_size(const ScanPlan& plan, int step) {
  return {(kTileColumns - 1) * step + plan.window.width,
          (plan.tile_rows[step - 1] - 1) * step + plan.window.height};
}

/// What is counted while a frame is scanned.
struct ScanCounts {
  std::uint32_t next_tile = 0;
  std::uint32_t found = 0;  ///< windows that pass all stages
};

/// One frame's memory on the device.
struct ScanBuffers {
  ScanCounts* counts = nullptr;
  std::uint8_t* grey = nullptr;     ///< the upright picture, rows of grey_stride() bytes
  std::uint32_t* failed = nullptr;  ///< a bit a place: fails in the first stage
  std::uint32_t* passed =
      nullptr;                     ///< a bit a place: passes all stages, and may have been left out
  std::uint32_t* found = nullptr;  ///< `capacity` places, in any order
  nms::WholeBox* found_windows = nullptr;  ///< their windows
  nms::WholeBox* windows = nullptr;        ///< these in order
  float* scores = nullptr;                 ///< likewise
  std::uint32_t capacity = 0;
};

FACEPIPE_HOST_DEVICE constexpr int grey_stride(Size picture) { return (picture.width + 3) / 4 * 4; }

/// Blocks of tiles that the current device runs at once. Lets the kernel use all shared memory that
/// a block may have there, as it needs. Errors: device, where that is not enough.
[[nodiscard]] int tile_blocks(const ScanPlan& plan);

/// Makes `grey` of the frame, fills `failed` and `passed`, by `blocks` blocks: of tile_blocks().
void launch_tiles(const FrameDescriptor* frame, const ScanPlan& plan, const StumpWords& stumps,
                  const ScanBuffers& buffers, int blocks, cuda::StreamView stream);

/// Lists what has passed but for what OpenCV would have left out.
void launch_listing(const ScanPlan& plan, const ScanBuffers& buffers, cuda::StreamView stream);

/// Which of the windows that were found are candidates.
struct Selection {
  float score_threshold =
      0.5F;                   ///< those with an agreement_score() above it, clipped to the picture
  bool every_window = false;  ///< all, of score 1 and not clipped
};

/// The candidates by level, row and column. Where there are more windows than buffers.capacity,
/// to.count exceeds to.capacity.
void launch_selection(const ScanPlan& plan, const ScanBuffers& buffers, const Selection& selection,
                      const cuda::DeviceDetections& to, cuda::StreamView stream);

}  // namespace facepipe::detector::cascade
