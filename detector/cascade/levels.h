// Plans the levels of a picture that a cascade searches, and the places of its window in each
// level. The rules are those of OpenCV 4's CascadeClassifier (objdetect/src/cascadedetect.cpp), so
// the cascade examines exactly OpenCV's windows. The plan is the same on all devices.
#pragma once

#include <vector>

#include "core/geometry.h"
#include "detector/options.h"

namespace facepipe::detector::cascade {

/// Limits the sizes of the faces that are searched for.
struct LevelOptions {
  double scale_factor = 1.1;  ///< from one level to the next, > 1
  double min_face = 0;        ///< least shorter side of the window, in the picture's pixels
  double max_face = 0;  ///< largest longer side of the window, in the picture's pixels; 0 if any
  friend bool operator==(const LevelOptions&, const LevelOptions&) = default;
};

/// Returns the limits that a detector's options contain.
[[nodiscard]] LevelOptions level_options(const DetectorOptions& options);

/// Describes a level: the picture, reduced by `scale`, and the window's places in the reduced
/// picture.
struct Level {
  float scale = 1;
  Size size;      ///< size of the reduced picture
  int step = 1;   ///< pixels from one place to the next in x and y: 2 below scale 2
  Size places;    ///< number of places in a row, and number of rows; both > 0
  Size box_size;  ///< size of the window, in pixels of the picture
};

/// Returns the levels in which the window fits at least once, largest first. Returns no level if no
/// size of the window is within min_face and max_face. (OpenCV would then take the size nearest to
/// the smallest one.) `picture` is the size of the upright picture, at most 2^15 in each direction.
[[nodiscard]] std::vector<Level> plan_levels(Size window, Size picture,
                                             const LevelOptions& options);

/// Returns the window whose top left pixel is (x, y) of the level, in whole pixels of the picture.
/// The window may extend beyond the picture's right and lower edges by a pixel or two, because
/// OpenCV clips windows only after grouping.
[[nodiscard]] Box window_box(const Level& level, int x, int y);

}  // namespace facepipe::detector::cascade
