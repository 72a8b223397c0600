// Says which part of a frame a second look shows the detector, and where in a sheet it shows this
// part. A sheet is a picture of several crops side by side, so that one run searches all of them.
#pragma once

#include <cstddef>

#include "core/geometry.h"
#include "nms/predicate.h"

namespace facepipe::detector {

inline constexpr int kCropSide = 160;  ///< in pixels of the sheet
/// Each crop shows one face at the same size, whatever its size in the frame is: the root of the
/// area of the face's box becomes kFaceSide pixels. At this size CenterFace tells faces from other
/// things best. The crop has four times this side. It is black where the frame ends.
inline constexpr int kFaceSide = 40;

/// Says how many crops a sheet has side by side, and one below the other. The places of crops are
/// counted in the order of rows.
struct CropGrid {
  int columns = 2;
  int rows = 2;

  [[nodiscard]] constexpr std::size_t places() const {
    return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  }
  [[nodiscard]] constexpr Size size() const { return {columns * kCropSide, rows * kCropSide}; }
};

/// A range of whole pixels on one axis of the upright frame, and where it lies on an axis of the
/// sheet.
struct CropRange {
  int from = 0;    ///< even
  int to = 0;      ///< over `from`
  int offset = 0;  ///< in the sheet
  int length = 0;  ///< in the sheet, over 0

  /// Returns where a coordinate of the frame lies in the sheet.
  [[nodiscard]] float in_sheet(float value) const {
    const auto scale = static_cast<float>(length) / static_cast<float>(to - from);
    return (value - static_cast<float>(from)) * scale + static_cast<float>(offset);
  }
};

/// A part of the upright frame that is shown in a sheet.
struct Crop {
  CropRange x;
  CropRange y;
  Box face;  ///< in the sheet; it can be larger than the crop if it is far from square
};

/// Returns whether a detection in a sheet is the face itself: their IoU is 0.55 and more. Neither
/// box is empty.
FACEPIPE_NMS_INLINE bool fits_face(const Box& found, const Box& face) {
  constexpr float kLeastIou = 0.55F;
  const float both = nms::intersection(found, face);
  return nms::iou(both, nms::area(found), nms::area(face)) >= kLeastIou;
}

/// Returns the crop for a face.
/// @param face     in pixels of the upright frame, not empty; meets the picture
/// @param picture  the upright frame's size
/// @param place    0..grid.places() - 1
[[nodiscard]] Crop crop_of(const Box& face, Size picture, CropGrid grid, std::size_t place);

}  // namespace facepipe::detector
