#include "detector/crops.h"

#include <algorithm>
#include <cmath>

namespace facepipe::detector {
namespace {

constexpr float kSmallestFace = 4;  // pixels of the frame; smaller boxes are enlarged less

int even_below(float value) { return static_cast<int>(std::floor(value / 2)) * 2; }

/// Returns the part of the frame that a crop shows on one axis.
/// @param middle   of the face
/// @param side     of the crop, in pixels of the frame
/// @param picture  the frame's side
/// @param first    the crop's first pixel in the sheet
CropRange range_of(float middle, float side, int picture, int first) {
  const float begin = middle - side / 2;
  const float scale = kCropSide / side;
  CropRange range;
  const int last = (picture - 1) / 2 * 2;
  range.from = std::clamp(-even_below(-begin), 0, last);
  range.to = std::min(picture, std::max(range.from + 2, even_below(begin + side)));
  const auto scaled =
      static_cast<int>(std::lround(static_cast<float>(range.to - range.from) * scale));
  range.length = std::clamp(scaled, 1, kCropSide);
  const auto offset =
      static_cast<int>(std::lround((static_cast<float>(range.from) - begin) * scale));
  range.offset = first + std::clamp(offset, 0, kCropSide - range.length);
  return range;
}

}  // namespace

Crop crop_of(const Box& face, Size picture, CropGrid grid, std::size_t place) {
  const float face_side = std::max(kSmallestFace, std::sqrt(face.width() * face.height()));
  const float side = face_side * kCropSide / kFaceSide;
  const auto columns = static_cast<std::size_t>(grid.columns);
  const int left = static_cast<int>(place % columns) * kCropSide;
  const int top = static_cast<int>(place / columns) * kCropSide;
  Crop crop;
  crop.x = range_of((face.x1 + face.x2) / 2, side, picture.width, left);
  crop.y = range_of((face.y1 + face.y2) / 2, side, picture.height, top);
  crop.face = {crop.x.in_sheet(face.x1), crop.y.in_sheet(face.y1), crop.x.in_sheet(face.x2),
               crop.y.in_sheet(face.y2)};
  return crop;
}

}  // namespace facepipe::detector
