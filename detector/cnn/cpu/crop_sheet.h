// Puts the surroundings of several faces side by side into one picture. A detector then searches
// all of them in one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/frame.h"
#include "core/geometry.h"

namespace facepipe::detector {

/// A picture of 2 x 2 crops. Each crop shows one face at the same size, whatever its size in the
/// frame is: the root of the area of the face's box becomes 40 pixels. At this size CenterFace
/// tells faces from other things best. The crop has four times this side. It is black where the
/// frame ends. Owns its samples. Only one thread at a time may use an object.
class CropSheet {
 public:
  static constexpr int kCropSide = 160;  ///< in pixels of the sheet
  static constexpr int kFaceSide = 40;
  static constexpr int kColumns = 2;
  static constexpr int kRows = 2;
  static constexpr std::size_t kPlaces = std::size_t{kColumns} * kRows;
  static constexpr Size kSize{kColumns * kCropSide, kRows* kCropSide};

  CropSheet();

  /// Makes the sheet black.
  void clear();

  /// Draws the face and its surroundings, and returns where the face's box lies in the sheet. The
  /// box can be larger than the crop if it is far from square.
  /// @param frame  in host memory
  /// @param face   in pixels of the upright frame, not empty; meets the picture
  /// @param place  0..kPlaces - 1, in the order of rows
  Box draw(const Frame& frame, const Box& face, std::size_t place);

  /// Returns the sheet as a frame. The sheet must outlive the frame.
  [[nodiscard]] Frame frame();

 private:
  void copy(const std::vector<std::uint8_t>& rgb, Size size, std::size_t first);

  std::vector<std::uint8_t> samples_;  // planes of green, blue and red
  std::vector<std::uint8_t> crop_;     // planes of red, green and blue
};

}  // namespace facepipe::detector
