// The kernels of the paper's variants, and of OpenCV's schedule: from an integral image in global
// memory to a list of the windows that pass.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/cuda/stream.h"
#include "core/geometry.h"
#include "experiments/programs/viola_jones/found_window.h"
#include "experiments/programs/viola_jones/stumps.h"

namespace facepipe::viola_jones {

/// Sums over all pixels above and left of a corner: rows of `stride` entries, one more each way
/// than there are pixels.
struct DeviceSums {
  const std::uint32_t* sums = nullptr;     ///< of grey levels, mod 2^32
  const std::uint64_t* squares = nullptr;  ///< of their squares
  std::int32_t stride = 0;
};

/// In any order; *count may exceed the capacity.
struct DeviceWindows {
  FoundWindow* windows = nullptr;
  std::uint32_t* count = nullptr;
  std::uint32_t capacity = 0;
};

/// When a warp was there: clock cycles of its multiprocessor.
struct WarpTime {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t multiprocessor = 0;
};

/// One launch: some rows of blocks of one scale's.
struct ScaleLaunch {
  DeviceSums picture;
  const ScaledStump* stumps = nullptr;  ///< of this scale
  StageSpan stages[kMostStages] = {};
  std::int32_t stage_count = 0;
  Edges inner;
  std::int32_t inner_area = 0;
  float inverse_area = 0;
  std::int32_t step = 1;         ///< entries of `picture` from one place to the next
  std::int32_t pixels_step = 1;  ///< pixels
  std::int32_t scale = 0;        ///< what the windows name
  Size places;
  Size blocks;  ///< of 16 x 16 places
  std::int32_t first_block_row = 0;
  DeviceWindows found;
  WarpTime* times = nullptr;  ///< one a warp of the grid, or null
};

/// The paper's variants, in its order.
enum class Variant {
  basic,          ///< a thread a window; stumps and sums in global memory
  shared_memory,  ///< likewise, but the block loads each stage's stumps into shared memory first
  dynamic_warp,   ///< a block's four warps take its windows from a counter; lanes share the stumps
};
inline constexpr Variant kVariants[] = {Variant::basic, Variant::shared_memory,
                                        Variant::dynamic_warp};

/// As the paper names it.
[[nodiscard]] const char* name_of(Variant variant);

/// As published: the first stages whose stumps a block of dynamic_warp keeps in shared memory.
inline constexpr std::int32_t kCachedStages = 7;

/// Of a block.
[[nodiscard]] std::int32_t warps_of(Variant variant);

void launch_variant(Variant variant, const ScaleLaunch& scale, cuda::StreamView stream);

/// Fills the arrays of sums: `grey` has width * height bytes.
void launch_sums(const std::uint8_t* grey, Size picture, std::uint32_t* sums,
                 std::uint64_t* squares, cuda::StreamView stream);

/// Every `factor`th entry each way, of `corners` entries.
void launch_decimation(const DeviceSums& from, std::int32_t factor, Size corners,
                       std::uint32_t* sums, std::uint64_t* squares, cuda::StreamView stream);

/// Places of a scale that have passed some stages: row << 16 | column, in any order.
struct PlaceList {
  std::uint32_t* places = nullptr;  ///< room for all of the scale's
  std::uint32_t* count = nullptr;
};

/// A thread a place, blocks of 64: those of all places that pass the stages before `end_stage`.
void launch_first_stages(const ScaleLaunch& scale, std::int32_t end_stage, const PlaceList& to,
                         cuda::StreamView stream);

/// Likewise, of `count` places of a list.
void launch_listed_stages(const ScaleLaunch& scale, const std::uint32_t* places,
                          std::uint32_t count, std::int32_t first_stage, std::int32_t end_stage,
                          const PlaceList& to, cuda::StreamView stream);

/// A block of 64 threads a place, which share each stage's stumps; what passes is found.
void launch_last_stages(const ScaleLaunch& scale, const std::uint32_t* places, std::uint32_t count,
                        std::int32_t first_stage, cuda::StreamView stream);

}  // namespace facepipe::viola_jones
