// Declares the arguments and the launchers of the kernels that estimate motion.
#pragma once

#include <cstdint>

#include "core/cuda/stream.h"
#include "core/frame.h"
#include "track/flow.h"
#include "track/luma_cells.h"

namespace facepipe::track {

/// Refers to a picture on the device. Its levels lie one after another in memory.
struct DevicePyramid {
  const std::uint8_t* samples = nullptr;
  PyramidShape shape;

  [[nodiscard]] FACEPIPE_HOST_DEVICE LumaLevel level(int i) const {
    std::size_t offset = 0;
    for (int before = 0; before < i; ++before) offset += shape.samples(before);
    return {samples + offset, shape.size(i), PyramidShape::scale(i)};
  }
};

/// The result for one point.
struct FollowedPoint {
  Point at;                ///< the point's place or its motion; valid only if `found` isn't 0
  std::int32_t found = 0;  ///< 1 if the point was found
};

/// Holds a box of `from` whose points are searched in `to`. The two pictures have the same size.
struct DeviceStep {
  const std::uint8_t* from = nullptr;  ///< samples of the first picture's pyramid
  const std::uint8_t* to = nullptr;    ///< samples of the second picture's pyramid
  Box box;
  Similarity camera;
  std::int32_t grid = 0;
  std::int32_t finest = 0;  ///< the finest level
};

/// Holds the steps that one launch follows. The steps are parameters of the launch, so no copy to
/// the device is needed.
struct StepBatch {
  static constexpr std::size_t kCapacity = 64;

  PyramidShape shape;
  int count = 0;
  DeviceStep steps[kCapacity];
};
// The limit for parameters on every device.
static_assert(sizeof(StepBatch) + sizeof(void*) <= 4096);

/// Makes all levels of a frame's pyramid.
void enqueue_pyramid(const Frame& frame, const PyramidShape& shape, std::uint8_t* samples,
                     cuda::StreamView stream);

/// Counts the grey levels of the level's samples: adds to kGreys counts for each cell.
void enqueue_counts(const LumaLevel& level, std::uint32_t* counts, cuda::StreamView stream);

/// Finds the best point of each place of the level's TextureGrid.
void enqueue_textured_points(const LumaLevel& level, TexturedPoint* points,
                             cuda::StreamView stream);

/// Follows the points from one picture to the other, at the levels for the camera's motion. Points
/// without texture are not found.
void enqueue_camera_points(const DevicePyramid& from, const DevicePyramid& to,
                           const TexturedPoint* points, int count, FollowedPoint* followed,
                           cuda::StreamView stream);

/// Follows the points of each step's box. Writes kMostGrid * kMostGrid results for each step: the
/// motion of its points relative to the camera.
void enqueue_box_points(const StepBatch& batch, FollowedPoint* moved, cuda::StreamView stream);

}  // namespace facepipe::track
