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

/// Sums over all pixels above and to the left of a corner. A row has `stride` entries. There is one
/// more column and one more row of entries than of pixels.
struct DeviceSums {
  const std::uint32_t* sums = nullptr;     ///< sums of grey levels, mod 2^32
  const std::uint64_t* squares = nullptr;  ///< sums of squared grey levels
  std::int32_t stride = 0;
};

/// The windows are in any order. *count may exceed the capacity.
struct DeviceWindows {
  FoundWindow* windows = nullptr;
  std::uint32_t* count = nullptr;
  std::uint32_t capacity = 0;
};

/// The time in which a warp was active, in clock cycles of its multiprocessor.
struct WarpTime {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t multiprocessor = 0;
};

/// Says how a launch distributes a scale over blocks. The defaults are as published.
struct LaunchShape {
  std::int32_t block_side = kBlockSide;  ///< columns and rows of a block's places: 8, 16 or 32
  /// K: a block of dynamic_warp keeps the stumps of the first K stages in shared memory. If they
  /// don't fit into 48 KB, the launch fails.
  std::int32_t cached_stages = 7;
};

/// The arguments of one launch, for some rows of blocks of one scale.
struct ScaleLaunch {
  DeviceSums picture;
  const ScaledStump* stumps = nullptr;  ///< stumps for this scale
  StageSpan stages[kMostStages] = {};
  std::int32_t stage_count = 0;
  Edges inner;
  std::int32_t inner_area = 0;
  float inverse_area = 0;
  std::int32_t step = 1;         ///< entries of `picture` from one place to the next
  std::int32_t pixels_step = 1;  ///< pixels from one place to the next
  std::int32_t scale = 0;        ///< index that found windows get as their scale
  Size places;
  Size blocks;
  std::int32_t first_block_row = 0;
  LaunchShape shape;
  DeviceWindows found;
  WarpTime* times = nullptr;  ///< element for each warp of the grid, or null
};

/// The paper's variants, in the paper's order.
enum class Variant {
  basic,          ///< each thread has a window; stumps and sums are in global memory
  shared_memory,  ///< like basic, but a block first loads each stage's stumps into shared memory
  /// A block's four warps get windows from a shared counter. The lanes of a warp share the stumps.
  dynamic_warp,
};
inline constexpr Variant kVariants[] = {Variant::basic, Variant::shared_memory,
                                        Variant::dynamic_warp};

/// Returns the name that the paper uses.
[[nodiscard]] const char* name_of(Variant variant);

/// Returns the number of warps in a block with the published side.
[[nodiscard]] std::int32_t warps_of(Variant variant);

/// Throws std::invalid_argument if a block can't have the side of scale.shape. Only launches with
/// the published side record times.
void launch_variant(Variant variant, const ScaleLaunch& scale, cuda::StreamView stream);

/// Computes both arrays of sums. `grey` has width * height bytes.
void launch_sums(const std::uint8_t* grey, Size picture, std::uint32_t* sums,
                 std::uint64_t* squares, cuda::StreamView stream);

/// Takes every `factor`th entry in each row and column. `corners` is the number of entries in the
/// result.
void launch_decimation(const DeviceSums& from, std::int32_t factor, Size corners,
                       std::uint32_t* sums, std::uint64_t* squares, cuda::StreamView stream);

/// Places of a scale that have passed some stages, as row << 16 | column, in any order.
struct PlaceList {
  std::uint32_t* places = nullptr;  ///< array with room for all places of the scale
  std::uint32_t* count = nullptr;
};

/// Lists all places that pass the stages before `end_stage`. Each thread has a place. Blocks have
/// 64 threads.
void launch_first_stages(const ScaleLaunch& scale, std::int32_t end_stage, const PlaceList& to,
                         cuda::StreamView stream);

/// Lists those of `count` listed places that also pass the stages from `first_stage` to `end_stage`
/// - 1.
void launch_listed_stages(const ScaleLaunch& scale, const std::uint32_t* places,
                          std::uint32_t count, std::int32_t first_stage, std::int32_t end_stage,
                          const PlaceList& to, cuda::StreamView stream);

/// Finds the places that pass the remaining stages. Each place has a block of 64 threads, which
/// share the stumps of each stage.
void launch_last_stages(const ScaleLaunch& scale, const std::uint32_t* places, std::uint32_t count,
                        std::int32_t first_stage, cuda::StreamView stream);

}  // namespace facepipe::viola_jones
