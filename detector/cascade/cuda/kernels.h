// The kernels of a cascade on a CUDA device: from a frame in device memory to candidates in order.
//
// A frame's levels are cut into tiles of kTilePlaces x kTilePlaces places. Blocks take tiles from a
// counter; for each they make its pixels from the frame, sum them up in shared memory, and send its
// windows through the stages, those that are left moved together after each. Which window OpenCV
// leaves out depends on those left of it in its row, in other tiles, too: a tile keeps windows of
// which it can't know, and writes down which fail in the first stage; what was kept in vain goes
// when all tiles are done.
#pragma once

#include <cstdint>

#include "core/cuda/detections.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "core/geometry.h"
#include "detector/cascade/levels.h"
#include "nms/similar.h"

namespace facepipe::cascade {

/// Places of a tile in x and in y; those of a row are the bits of a word.
inline constexpr int kTilePlaces = 32;

/// Of a pixel of a level along one axis: the picture's pixels that it lies between, and the weight
/// of the second one in 256ths.
struct AxisPixel {
  std::int32_t first = 0;
  std::int32_t second = 0;
  std::int32_t weight = 0;
};

struct DeviceLevel {
  float scale = 1;
  std::int32_t step = 1;
  Size places;
  Size box_size;
  std::int32_t words = 0;       ///< of a row of places
  std::int32_t first_word = 0;  ///< of all levels' words
  std::int32_t first_tile = 0;  ///< of all levels' tiles, row by row
  std::int32_t tiles_across = 0;
  std::int32_t columns = 0;  ///< where its columns begin in the array of axes
  std::int32_t rows = 0;     ///< likewise
};

/// A decision, for one way in which sums lie in shared memory. A child that is 0 is a leaf.
struct DeviceNode {
  std::int32_t corners[12] = {};  ///< as FeatureTable
  float weights[3] = {};          ///< of rectangles that aren't there 0
  float threshold = 0;
  std::int32_t left = 0;   ///< nodes from this one on
  std::int32_t right = 0;  ///< likewise
  float left_leaf = 0;
  float right_leaf = 0;
};

struct DeviceStage {
  std::int32_t first_tree = 0;
  std::int32_t tree_count = 0;
  float threshold = 0;
  float doubt = 0;  ///< as StageTable
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
  const std::uint8_t* grey =
      nullptr;  ///< of all values, first of limited range, then of full range
  // The cascade.
  Size window;
  std::int32_t stage_count = 0;
  const DeviceStage* stages = nullptr;
  const std::int32_t* roots = nullptr;  ///< of all trees, in both arrays of nodes
  const DeviceNode* nodes[2] = {};      ///< for steps of 1 and of 2 pixels
  SumsLayout layouts[2];
  std::int32_t words_of_sums = 0;  ///< floats that the larger of both needs
  // The levels.
  std::int32_t level_count = 0;
  std::int32_t tile_count = 0;
  std::int32_t word_count = 0;
  const DeviceLevel* levels = nullptr;
  const AxisPixel* axes = nullptr;
};

/// One frame's memory on the device.
struct ScanBuffers {
  std::uint32_t* next_tile = nullptr;
  std::uint32_t* failed = nullptr;   ///< a bit a place: fails in the first stage
  std::uint32_t* passed = nullptr;   ///< a bit a place: passes all, and may have been left out
  std::uint32_t* sums = nullptr;     ///< a word for each block of words, then their total
  nms::WholeBox* windows = nullptr;  ///< `capacity` of them
  float* scores = nullptr;           ///< likewise
  std::uint32_t capacity = 0;
};

/// Words of `passed` for which one word of `sums` stands.
inline constexpr int kWordsOfABlock = 1024;

/// Blocks of the scan that the current device runs at once. Lets the scan use all shared memory
/// that a block may have there, as it needs. Errors: device, where that is not enough.
[[nodiscard]] int scan_blocks(const ScanPlan& plan);

/// Fills `failed` and `passed`, by `blocks` blocks: of scan_blocks().
void launch_scan(const FrameDescriptor* frame, const ScanPlan& plan, const ScanBuffers& buffers,
                 int blocks, cuda::StreamView stream);

/// Clears from `passed` what OpenCV would have left out, and lists the rest in `windows`, by level,
/// row and column.
void launch_listing(const ScanPlan& plan, const ScanBuffers& buffers, cuda::StreamView stream);

/// agreement_score() of each window, and those above the threshold, clipped to the picture, in
/// their order. Where there are more windows than buffers.capacity, to.count exceeds to.capacity.
void launch_selection(const ScanPlan& plan, const ScanBuffers& buffers, float score_threshold,
                      const cuda::DeviceDetections& to, cuda::StreamView stream);

}  // namespace facepipe::cascade
