// The kernels of the paper's variants and of OpenCV's schedule: from an integral image in global
// memory to a list of accepted windows.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/cuda/stream.h"
#include "core/geometry.h"
#include "experiments/programs/viola_jones/found_window.h"
#include "experiments/programs/viola_jones/scales.h"
#include "experiments/programs/viola_jones/stumps.h"

namespace facepipe::viola_jones {

/// Sums over all pixels above and left of a corner. Rows have `stride` entries; there is one more
/// entry each way than there are pixels.
struct DeviceSums {
  const std::uint32_t* sums = nullptr;     ///< of grey levels, mod 2^32
  const std::uint64_t* squares = nullptr;  ///< of their squares
  std::int32_t stride = 0;
};

/// The windows are in any order. *count may exceed the capacity.
struct DeviceWindows {
  FoundWindow* windows = nullptr;
  std::uint32_t* count = nullptr;
  std::uint32_t capacity = 0;
};

/// When a warp was active, in clock cycles of its multiprocessor.
struct WarpTime {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t multiprocessor = 0;
};

/// How a launch shares a scale among blocks. The defaults are as published.
struct LaunchShape {
  std::int32_t block_side = kBlockSide;  ///< columns and rows of places: 8, 16 or 32
  /// The number of first stages whose stumps a block of dynamic_warp keeps in shared memory (K).
  /// They must fit into 48 KB, or the launch fails.
  std::int32_t cached_stages = 7;
};

/// One launch: some rows of blocks of one scale.
struct ScaleLaunch {
  DeviceSums picture;
  const ScaledStump* stumps = nullptr;  ///< the stumps at this scale
  StageSpan stages[kMostStages] = {};
  std::int32_t stage_count = 0;
  Edges inner;
  std::int32_t inner_area = 0;
  float inverse_area = 0;
  std::int32_t step = 1;         ///< entries of `picture` from one place to the next
  std::int32_t pixels_step = 1;  ///< pixels from one place to the next
  std::int32_t scale = 0;        ///< the scale's index in the windows found
  Size places;
  Size blocks;
  std::int32_t first_block_row = 0;
  LaunchShape shape;
  DeviceWindows found;
  WarpTime* times = nullptr;  ///< one for each warp of the grid, or null
};

/// The paper's variants in its order.
enum class Variant {
  basic,          ///< each thread has a window; stumps and sums are in global memory
  shared_memory,  ///< the same, but the block loads each stage's stumps into shared memory first
  ///< A block's four warps take its windows from a counter, and lanes share the stumps.
  dynamic_warp,
};
inline constexpr Variant kVariants[] = {Variant::basic, Variant::shared_memory,
                                        Variant::dynamic_warp};

/// Returns the paper's name.
[[nodiscard]] const char* name_of(Variant variant);

/// Returns the number of warps in a block of the published side.
[[nodiscard]] std::int32_t warps_of(Variant variant);

/// Throws std::invalid_argument if a block can't have such a side. Only launches with the published
/// side write down times.
void launch_variant(Variant variant, const ScaleLaunch& scale, cuda::StreamView stream);

/// Fills the arrays of sums. `grey` has width * height bytes.
void launch_sums(const std::uint8_t* grey, Size picture, std::uint32_t* sums,
                 std::uint64_t* squares, cuda::StreamView stream);

/// Takes every `factor`th of `corners` entries each way.
void launch_decimation(const DeviceSums& from, std::int32_t factor, Size corners,
                       std::uint32_t* sums, std::uint64_t* squares, cuda::StreamView stream);

/// Places of a scale that have passed some stages: row << 16 | column, in any order.
struct PlaceList {
  std::uint32_t* places = nullptr;  ///< has room for all of the scale's places
  std::uint32_t* count = nullptr;
};

/// Lists all places that pass the stages before `end_stage`. Each thread has a place; blocks have
/// 64 threads.
void launch_first_stages(const ScaleLaunch& scale, std::int32_t end_stage, const PlaceList& to,
                         cuda::StreamView stream);

/// Does the same for `count` places of a list.
void launch_listed_stages(const ScaleLaunch& scale, const std::uint32_t* places,
                          std::uint32_t count, std::int32_t first_stage, std::int32_t end_stage,
                          const PlaceList& to, cuda::StreamView stream);

/// Finds the places that pass the remaining stages. Each place has a block of 64 threads, which
/// share each stage's stumps.
void launch_last_stages(const ScaleLaunch& scale, const std::uint32_t* places, std::uint32_t count,
                        std::int32_t first_stage, cuda::StreamView stream);

}  // namespace facepipe::viola_jones
