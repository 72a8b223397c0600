// The levels of a picture that a cascade looks at, and where its window lies in them: the rules of
// OpenCV 4's CascadeClassifier (objdetect/src/cascadedetect.cpp), so that exactly its windows are
// looked at. The same for all devices.
#pragma once

#include <vector>

#include "core/geometry.h"
#include "detector/options.h"

namespace facepipe::detector::cascade {

/// Which sizes of faces are looked for.
struct LevelOptions {
  double scale_factor = 1.1;  ///< from one level to the next, > 1
  double min_face = 0;        ///< least shorter side of the window in pixels of the picture
  double max_face = 0;        ///< most of its longer side; 0: any
  friend bool operator==(const LevelOptions&, const LevelOptions&) = default;
};

/// Those of a detector.
[[nodiscard]] LevelOptions level_options(const DetectorOptions& options);

/// The picture, made smaller by `scale`, and the places of the window in it.
struct Level {
  float scale = 1;
  Size size;      ///< of the smaller picture
  int step = 1;   ///< pixels from one place to the next in x and y: 2 below scale 2
  Size places;    ///< how many a row has, and how many rows there are; both > 0
  Size box_size;  ///< of the window, in pixels of the picture
};

/// Those in which the window fits at least once, largest first. Where no window is within min_face
/// and max_face there is none (OpenCV would take the size nearest to the smallest one).
/// `picture` is the upright one's size, at most 2^15 each way.
[[nodiscard]] std::vector<Level> plan_levels(Size window, Size picture,
                                             const LevelOptions& options);

/// The window whose top left pixel is (x, y) of the level, in whole pixels of the picture, beyond
/// whose right and lower edge it may lie by a pixel or two: OpenCV clips what is left after
/// grouping.
[[nodiscard]] Box window_box(const Level& level, int x, int y);

}  // namespace facepipe::detector::cascade
