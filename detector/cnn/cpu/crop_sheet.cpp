#include "detector/cnn/cpu/crop_sheet.h"

#include <algorithm>
#include <array>

#include "core/turning.h"
#include "detector/cnn/cpu/preprocess.h"
#include "detector/network_fit.h"
#include "detector/part.h"

namespace facepipe::detector {
namespace {

constexpr std::size_t kPlane = std::size_t{CropSheet::kSize.width} * CropSheet::kSize.height;
/// Returns the part of the frame that the ranges of the upright picture enclose.
Frame part_in(const Frame& frame, const CropRange& x, const CropRange& y) {
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
  const auto& [x, y, there] = crop_of(face, frame.upright(), kGrid, place);
  const Size shown{x.length, y.length};
  crop_.resize(std::size_t{3} * static_cast<std::size_t>(shown.width) *
               static_cast<std::size_t>(shown.height));
  Preprocessor({{x.to - x.from, y.to - y.from}, shown, shown}, ChannelOrder::rgb)
      .convert(part_in(frame, x, y), crop_);
  copy(crop_, shown,
       static_cast<std::size_t>(y.offset) * kSize.width + static_cast<std::size_t>(x.offset));
  return there;
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
