#include "pipeline/overlay_plan.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace facepipe {
namespace {

constexpr std::array<Rgb, kInkCount> kInkColors{{
    {0.00, 0.92, 0.25},  // outline: a saturated green
    {1.00, 0.15, 0.65},  // dot
    {0.08, 0.08, 0.08},  // plate; a grey, as is the text: see the Note in the header
    {1.00, 1.00, 1.00},  // text
}};

/// One axis of the upright picture and the edges of chroma cells on it.
struct Axis {
  int length = 0;
  int cell = 1;    ///< distance of two edges
  int origin = 0;  ///< an edge, 0 <= origin < cell

  [[nodiscard]] int edge_before(int position) const {
    const int past = (position - origin) % cell;
    return position - (past < 0 ? past + cell : past);
  }
  [[nodiscard]] int edge_after(int position) const { return edge_before(position + cell - 1); }
};

Axis make_axis(int length, int cell, bool reversed) {
  return {length, cell, reversed ? length % cell : 0};
}

/// Edges of chroma cells of the stored picture, `width` x `height` pixels each.
Size chroma_cell(const Frame& frame) {
  if (!frame.format.has_chroma) return {1, 1};
  Size cell{1 << frame.format.log2_chroma_w, 1 << frame.format.log2_chroma_h};
  if (frame.field_order != FieldOrder::progressive && cell.height > 1) cell.height *= 2;
  return cell;
}

int round_up(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

/// The nearest whole position inside the picture: a NaN is no position, and must not come here.
int clamp_to(double position, int length) {
  return static_cast<int>(std::clamp(position, 0.0, static_cast<double>(length)));
}

bool has_nan(const Box& box) {
  return std::isnan(box.x1) || std::isnan(box.y1) || std::isnan(box.x2) || std::isnan(box.y2);
}

/// "0.87", without a terminating zero.
std::array<char, 4> score_text(float score) {
  const double percent = std::isnan(score) ? 0 : std::clamp(score * 100.0, 0.0, 100.0);
  const long rounded = std::lround(percent);
  const auto digit = [](long value) { return static_cast<char>('0' + value % 10); };
  return {digit(rounded / 100), '.', digit(rounded / 10), digit(rounded)};
}

std::string count_text(std::size_t faces) {
  return std::to_string(faces) + (faces == 1 ? " face" : " faces");
}

/// Puts marks on the plan of one frame.
class Planner {
 public:
  Planner(const Frame& frame, OverlayPlan& plan) : plan_(plan) {
    const Size cell = chroma_cell(frame);
    const Size picture = frame.upright();
    const StoredMap& map = plan.to_stored;
    const bool swapped = frame.orientation.swaps_axes();
    x_ = make_axis(picture.width, swapped ? cell.height : cell.width, map.xx + map.yx < 0);
    y_ = make_axis(picture.height, swapped ? cell.width : cell.height, map.xy + map.yy < 0);
    const int side = std::min(picture.width, picture.height);
    unit_ = std::max(cell.width, cell.height);
    line_ = round_up(std::max(2, (side + 180) / 360), unit_);
    text_height_ = std::clamp(side / 45, 14, 192);
  }

  /// The outline's outer edge; empty where nothing of the box is in the picture.
  [[nodiscard]] PixelRect around(const Box& box) const {
    if (has_nan(box)) return {};
    const PixelRect inside{
        clamp_to(std::floor(box.x1), x_.length), clamp_to(std::floor(box.y1), y_.length),
        clamp_to(std::ceil(box.x2), x_.length), clamp_to(std::ceil(box.y2), y_.length)};
    if (inside.empty() || !(box.x1 < box.x2) || !(box.y1 < box.y2)) return {};
    return clip({x_.edge_before(inside.x1 - line_), y_.edge_before(inside.y1 - line_),
                 x_.edge_after(inside.x2 + line_), y_.edge_after(inside.y2 + line_)});
  }

  void outline(const PixelRect& outer) {
    solid({outer.x1, outer.y1, outer.x2, outer.y1 + line_}, Ink::outline);
    solid({outer.x1, outer.y2 - line_, outer.x2, outer.y2}, Ink::outline);
    solid({outer.x1, outer.y1, outer.x1 + line_, outer.y2}, Ink::outline);
    solid({outer.x2 - line_, outer.y1, outer.x2, outer.y2}, Ink::outline);
  }

  /// A round spot, as far as whole chroma cells allow: a square without its corners. On a small
  /// face it is smaller, so that five of them stay apart.
  void dot(const Point& point, int face_width) {
    const bool inside = point.x >= 0 && point.x < static_cast<float>(x_.length) && point.y >= 0 &&
                        point.y < static_cast<float>(y_.length);
    if (!inside) return;
    const int side = round_up(std::clamp(face_width / 8, 1, 2 * line_), unit_);
    const int corner = side < 3 * unit_ ? 0 : round_up(side / 4, unit_);
    const int x = x_.edge_before(static_cast<int>(point.x) - side / 2 + x_.cell / 2);
    const int y = y_.edge_before(static_cast<int>(point.y) - side / 2 + y_.cell / 2);
    solid({x, y + corner, x + side, y + side - corner}, Ink::dot);
    if (corner > 0) solid({x + corner, y, x + side - corner, y + side}, Ink::dot);
  }

  /// Above the outline, below its upper line where there is no room; moved left to be in the
  /// picture.
  void label(const PixelRect& outer, std::string_view text) {
    const int x = std::max(0, std::min(outer.x1, x_.length - plate_width(text)));
    const bool room = outer.y1 >= text_height_;
    write(x, room ? outer.y1 - text_height_ : outer.y1 + line_, text);
  }

  /// Text on its plate, whose top left corner is (x, y).
  void write(int x, int y, std::string_view text) {
    solid({x, y, x + plate_width(text), y + text_height_}, Ink::plate);
    int left = x + padding();
    for (const char character : text) {
      const int glyph = glyph_of(character);
      letter(left, y, glyph);
      left += atlas().advance(glyph);
    }
  }

 private:
  [[nodiscard]] const GlyphAtlas& atlas() const {
    if (!plan_.atlas) plan_.atlas = glyph_atlas(text_height_);
    return *plan_.atlas;
  }
  [[nodiscard]] int padding() const { return text_height_ / 6; }
  [[nodiscard]] int plate_width(std::string_view text) const {
    return atlas().width(text) + 2 * padding();
  }

  [[nodiscard]] PixelRect clip(const PixelRect& rect) const {
    return {std::max(rect.x1, 0), std::max(rect.y1, 0), std::min(rect.x2, x_.length),
            std::min(rect.y2, y_.length)};
  }

  void solid(const PixelRect& rect, Ink ink) {
    const PixelRect area = clip({x_.edge_before(rect.x1), y_.edge_before(rect.y1),
                                 x_.edge_after(rect.x2), y_.edge_after(rect.y2)});
    if (!area.empty()) plan_.marks.push_back({area, Mark::kSolid, ink});
  }

  void letter(int x, int y, int glyph) {
    const PixelRect cell{x, y, x + atlas().advance(glyph), y + text_height_};
    const PixelRect area = clip(cell);
    if (area.empty()) return;
    const int column = atlas().columns[static_cast<std::size_t>(glyph)] + area.x1 - cell.x1;
    const int row = area.y1 - cell.y1;
    plan_.marks.push_back({area, row * atlas().stride() + column, Ink::text});
  }

  OverlayPlan& plan_;
  Axis x_;
  Axis y_;
  int unit_ = 1;  ///< multiples of this fit the cells on both axes
  int line_ = 0;
  int text_height_ = 0;
};

void plan_faces(Planner& planner, const Detections& faces, const OverlayStyle& style) {
  std::vector<PixelRect> outers(faces.size());
  for (std::size_t i = 0; i < faces.size(); ++i) outers[i] = planner.around(faces.boxes[i]);
  for (const PixelRect& outer : outers)
    if (style.boxes && !outer.empty()) planner.outline(outer);
  for (std::size_t i = 0; style.landmarks && i < faces.size(); ++i)
    for (const Point& point : faces.landmarks[i])
      if (!outers[i].empty()) planner.dot(point, outers[i].x2 - outers[i].x1);
  // Backwards: faces come by falling score, and where labels overlap the best one shows.
  for (std::size_t i = faces.size(); style.scores && i-- > 0;)
    if (!outers[i].empty()) {
      const auto text = score_text(faces.scores[i]);
      planner.label(outers[i], {text.data(), text.size()});
    }
}

std::size_t most_marks(const Detections& faces, const OverlayStyle& style) {
  const std::size_t each =
      (style.boxes ? 4U : 0U) + (style.landmarks ? 10U : 0U) + (style.scores ? 5U : 0U);
  return faces.size() * each + 32;
}

}  // namespace

PixelRect StoredMap::operator()(const PixelRect& upright) const {
  const int ax = xx * upright.x1 + xy * upright.y1 + x0;
  const int ay = yx * upright.x1 + yy * upright.y1 + y0;
  const int bx = xx * (upright.x2 - 1) + xy * (upright.y2 - 1) + x0;
  const int by = yx * (upright.x2 - 1) + yy * (upright.y2 - 1) + y0;
  return {std::min(ax, bx), std::min(ay, by), std::max(ax, bx) + 1, std::max(ay, by) + 1};
}

StoredMap stored_map(Size stored, Orientation orientation) {
  const int right = stored.width - 1;
  const int bottom = stored.height - 1;
  StoredMap map;
  switch (orientation.quarter_turns) {
    case 0:
      map = {1, 0, 0, 0, 1, 0};
      break;
    case 1:
      map = {0, 1, 0, -1, 0, bottom};
      break;
    case 2:
      map = {-1, 0, right, 0, -1, bottom};
      break;
    default:
      map = {0, -1, right, 1, 0, 0};
      break;
  }
  if (orientation.mirrored) {
    map.xx = -map.xx;
    map.xy = -map.xy;
    map.x0 = right - map.x0;
  }
  return map;
}

OverlayPlan plan_overlay(const Frame& frame, const Detections& faces, const OverlayStyle& style) {
  OverlayPlan plan;
  plan.to_stored = stored_map(frame.size, frame.orientation);
  for (std::size_t i = 0; i < kInkCount; ++i)
    plan.inks[i] = ink_samples(kInkColors[i], frame.format, frame.color, frame.size);
  const auto ink = [&plan](Ink which) { return plan.inks[static_cast<std::size_t>(which)]; };
  // Greys of two kinds have the same chroma, unless the planes are green, blue and red.
  plan.letters_on_all_planes = ink(Ink::text).u != ink(Ink::plate).u;
  plan.marks.reserve(most_marks(faces, style));
  Planner planner(frame, plan);
  plan_faces(planner, faces, style);
  if (style.count) planner.write(0, 0, count_text(faces.size()));
  return plan;
}

}  // namespace facepipe
