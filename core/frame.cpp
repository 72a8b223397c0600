#include "core/frame.h"

namespace facepipe {
namespace {

constexpr int kMatrixBt709 = 1;
constexpr int kMatrixReserved = 3;
constexpr int kMatrixBt601 = 6;
constexpr int kMatrixLast = 17;
constexpr int kHdLines = 720;

int ceil_shift(int value, int shift) { return -((-value) >> shift); }

}  // namespace

int matrix_or_default(const ColorInfo& color, Size size) {
  const bool known = color.matrix >= 0 && color.matrix <= kMatrixLast &&
                     color.matrix != ColorInfo::kUnspecified && color.matrix != kMatrixReserved;
  if (known) return color.matrix;
  return size.height >= kHdLines ? kMatrixBt709 : kMatrixBt601;
}

Size Frame::chroma_size() const {
  return {ceil_shift(size.width, format.log2_chroma_w),
          ceil_shift(size.height, format.log2_chroma_h)};
}

double Frame::seconds() const { return static_cast<double>(pts) * time_base.num / time_base.den; }

Frame view_of(const Frame& frame) {
  Frame view;
  view.info() = frame.info();
  view.planes = frame.planes;
  view.format = frame.format;
  view.size = frame.size;
  view.device = frame.device;
  view.ready = frame.ready;
  view.owner = frame.owner;
  return view;
}

}  // namespace facepipe
