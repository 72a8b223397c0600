// Puts the surroundings of several faces side by side into one picture in host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/frame.h"
#include "core/geometry.h"
#include "detector/crops.h"

namespace facepipe::detector {

/// A picture of crops. Owns its samples. Only one thread at a time may use an object.
class CropSheet {
 public:
  static constexpr CropGrid kGrid{2, 2};
  static constexpr std::size_t kPlaces = kGrid.places();
  static constexpr Size kSize = kGrid.size();

  CropSheet();

  /// Makes the sheet black.
  void clear();

  /// Draws the face and its surroundings, and returns where the face's box lies in the sheet.
  /// @param frame  in host memory
  /// @param face, place  as for crop_of() with kGrid
  Box draw(const Frame& frame, const Box& face, std::size_t place);

  /// Returns the sheet as a frame. The sheet must outlive the frame.
  [[nodiscard]] Frame frame();

 private:
  void copy(const std::vector<std::uint8_t>& rgb, Size size, std::size_t first);

  std::vector<std::uint8_t> samples_;  // planes of green, blue and red
  std::vector<std::uint8_t> crop_;     // planes of red, green and blue
};

}  // namespace facepipe::detector
