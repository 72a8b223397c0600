#include "detector/cnn/cpu/crop_sheet.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/turning.h"
#include "detector/cnn/cpu/preprocess.h"
#include "detector/network_fit.h"
#include "detector/part.h"

namespace facepipe::detector {
namespace {

constexpr std::size_t kPlane = std::size_t{CropSheet::kSize.width} * CropSheet::kSize.height;
constexpr float kSmallestFace = 4;  // pixels of the frame; smaller boxes are enlarged less

/// A range of whole pixels on one axis of the frame, and where it lies on an axis of the crop.
struct Range {
  int from = 0;    ///< even
  int to = 0;      ///< over `from`
  int offset = 0;  ///< in the crop
  int length = 0;  ///< in the crop, over 0

  /// Returns where a coordinate of the frame lies in the crop.
  [[nodiscard]] float in_crop(float value) const {
    const auto scale = static_cast<float>(length) / static_cast<float>(to - from);
    return (value - static_cast<float>(from)) * scale + static_cast<float>(offset);
  }
};

int even_below(float value) { return static_cast<int>(std::floor(value / 2)) * 2; }

/// Returns the part of the frame that a crop shows on one axis.
/// @param middle   of the face
/// @param side     of the crop, in pixels of the frame
/// @param picture  the frame's side
Range range_of(float middle, float side, int picture) {
  const float begin = middle - side / 2;
  const float scale = CropSheet::kCropSide / side;
  Range range;
  const int last = (picture - 1) / 2 * 2;
  range.from = std::clamp(-even_below(-begin), 0, last);
  range.to = std::min(picture, std::max(range.from + 2, even_below(begin + side)));
  const auto scaled =
      static_cast<int>(std::lround(static_cast<float>(range.to - range.from) * scale));
  range.length = std::clamp(scaled, 1, CropSheet::kCropSide);
  const auto offset =
      static_cast<int>(std::lround((static_cast<float>(range.from) - begin) * scale));
  range.offset = std::clamp(offset, 0, CropSheet::kCropSide - range.length);
  return range;
}

/// Returns the part of the frame that the ranges of the upright picture enclose.
Frame part_in(const Frame& frame, const Range& x, const Range& y) {
  const PixelPlace a = before_turning({x.from, y.from}, frame.size, frame.orientation);
  const PixelPlace b = before_turning({x.to - 1, y.to - 1}, frame.size, frame.orientation);
  // In a turned picture, the first sample can lie within a sample of chroma. The part is then moved
  // by a pixel.
  const PixelPlace first{std::min(a.x, b.x) / 2 * 2, std::min(a.y, b.y) / 2 * 2};
  // upright_size() is its own inverse
  return part_of(frame, first, upright_size({x.to - x.from, y.to - y.from}, frame.orientation));
}

}  // namespace

CropSheet::CropSheet() : samples_(3 * kPlane) {}

void CropSheet::clear() { std::ranges::fill(samples_, std::uint8_t{0}); }

Box CropSheet::draw(const Frame& frame, const Box& face, std::size_t place) {
  const float face_side = std::max(kSmallestFace, std::sqrt(face.width() * face.height()));
  const float side = face_side * kCropSide / kFaceSide;
  const Size picture = frame.upright();
  const Range x = range_of((face.x1 + face.x2) / 2, side, picture.width);
  const Range y = range_of((face.y1 + face.y2) / 2, side, picture.height);
  const Size shown{x.length, y.length};
  crop_.resize(std::size_t{3} * static_cast<std::size_t>(shown.width) *
               static_cast<std::size_t>(shown.height));
  Preprocessor({{x.to - x.from, y.to - y.from}, shown, shown}, ChannelOrder::rgb)
      .convert(part_in(frame, x, y), crop_);
  const int left = static_cast<int>(place % kColumns) * kCropSide;
  const int top = static_cast<int>(place / kColumns) * kCropSide;
  copy(crop_, shown,
       static_cast<std::size_t>(top + y.offset) * kSize.width +
           static_cast<std::size_t>(left + x.offset));
  const auto to_x = [&](float value) { return x.in_crop(value) + static_cast<float>(left); };
  const auto to_y = [&](float value) { return y.in_crop(value) + static_cast<float>(top); };
  return {to_x(face.x1), to_y(face.y1), to_x(face.x2), to_y(face.y2)};
}

/// Copies planes of red, green and blue to the planes of the sheet.
/// @param first  index of the first sample in a plane of the sheet
void CropSheet::copy(const std::vector<std::uint8_t>& rgb, Size size, std::size_t first) {
  constexpr std::array<std::size_t, 3> kPlaneOf{2, 0, 1};  // of red, green and blue
  const auto width = static_cast<std::size_t>(size.width);
  const auto height = static_cast<std::size_t>(size.height);
  for (std::size_t i = 0; i < kPlaneOf.size(); ++i)
    for (std::size_t row = 0; row < height; ++row)
      std::copy_n(rgb.data() + (i * height + row) * width, width,
                  samples_.data() + kPlaneOf[i] * kPlane + first + row * kSize.width);
}

Frame CropSheet::frame() {
  Frame frame;
  frame.format.log2_chroma_w = 0;
  frame.format.log2_chroma_h = 0;
  frame.size = kSize;
  frame.color.matrix = ColorInfo::kIdentityMatrix;
  frame.color.full_range = true;
  for (std::size_t i = 0; i < 3; ++i)
    frame.planes[i] = {reinterpret_cast<std::byte*>(samples_.data() + i * kPlane), kSize.width};
  return frame;
}

}  // namespace facepipe::detector
