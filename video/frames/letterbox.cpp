#include "video/frames/letterbox.h"

namespace facepipe::video {
namespace {

/// Returns the ratio of width to height of the picture as it is shown.
double shape_of(const PictureShape& picture) {
  const Rational pixel =
      picture.pixel.num > 0 && picture.pixel.den > 0 ? picture.pixel : Rational{1, 1};
  return static_cast<double>(picture.size.width) * pixel.num /
         (static_cast<double>(picture.size.height) * pixel.den);
}

/// Describes a segment in the middle of a picture's side, in pixels. Its ends lie on edges of
/// cells.
struct Part {
  int begin = 0;
  int length = 0;
};

Part middle_part(int side, double share, int cell) {
  constexpr double kAsGoodAsAll = 0.98;
  const int bar = static_cast<int>((1 - share) * side / 2) / cell * cell;
  // If the last cell is incomplete, its pixels go to the bar after it.
  const int length = side - 2 * bar;
  const int whole_cells = length / cell * cell;
  if (share > kAsGoodAsAll || bar == 0 || whole_cells == 0) return {0, side};
  return {bar, whole_cells};
}

}  // namespace

PictureArea letterbox(const PictureShape& from, const PictureShape& into, Size cell) {
  const double narrower = shape_of(from) / shape_of(into);
  const Part columns = middle_part(into.size.width, narrower < 1 ? narrower : 1, cell.width);
  const Part rows = middle_part(into.size.height, narrower > 1 ? 1 / narrower : 1, cell.height);
  return {columns.begin, rows.begin, {columns.length, rows.length}};
}

}  // namespace facepipe::video
