// Arguments and launchers of the kernels that look for motion.
#pragma once

#include <cstdint>

#include "core/cuda/stream.h"
#include "core/frame.h"
#include "track/flow.h"
#include "track/luma_cells.h"

namespace facepipe::track {

/// A device's picture: its levels lie one behind the other.
struct DevicePyramid {
  const std::uint8_t* samples = nullptr;
  PyramidShape shape;

  [[nodiscard]] FACEPIPE_HOST_DEVICE LumaLevel level(int i) const {
    std::size_t offset = 0;
    for (int before = 0; before < i; ++before) offset += shape.samples(before);
    return {samples + offset, shape.size(i), PyramidShape::scale(i)};
  }
};

/// Where a point was found.
struct FollowedPoint {
  Point at;
  std::int32_t found = 0;
};

/// A box of `from` whose points are looked for in `to`, both of one size.
struct DeviceStep {
  const std::uint8_t* from = nullptr;  ///< both pictures' samples
  const std::uint8_t* to = nullptr;
  Box box;
  Similarity camera;
  std::int32_t grid = 0;
  std::int32_t finest = 0;  ///< level
};

/// Steps that one launch follows, as its parameters: nothing is copied to the device for them.
struct StepBatch {
  static constexpr std::size_t kCapacity = 64;

  PyramidShape shape;
  int count = 0;
  DeviceStep steps[kCapacity];
};
static_assert(sizeof(StepBatch) + sizeof(void*) <= 4096);  // what parameters may have on any device

/// Makes all levels of a frame's pyramid.
void enqueue_pyramid(const Frame& frame, const PyramidShape& shape, std::uint8_t* samples,
                     cuda::StreamView stream);

/// Adds the level's samples to the counts, kGreys of each cell.
void enqueue_counts(const LumaLevel& level, std::uint32_t* counts, cuda::StreamView stream);

/// The best point of each place of the level's TextureGrid.
void enqueue_textured_points(const LumaLevel& level, TexturedPoint* points,
                             cuda::StreamView stream);

/// Follows the points from picture to picture, at the levels that the camera is looked for in.
/// Those without texture are not found.
void enqueue_camera_points(const DevicePyramid& from, const DevicePyramid& to,
                           const TexturedPoint* points, int count, FollowedPoint* followed,
                           cuda::StreamView stream);

/// Of each step kMostGrid * kMostGrid results: against the camera, how its points moved.
void enqueue_box_points(const StepBatch& batch, FollowedPoint* moved, cuda::StreamView stream);

}  // namespace facepipe::track
