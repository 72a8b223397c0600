#include "overlay/plan.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace facepipe::overlay {
namespace {

constexpr std::array<Rgb, kOverlayColorCount> kOverlayRgb{{
    {0.00, 0.92, 0.25},  // outline: a saturated green
    {1.00, 0.15, 0.65},  // dot
    {0.08, 0.08, 0.08},  // background: a grey, as is the text; see the Note in the header
    {1.00, 1.00, 1.00},  // text
}};

OverlayAxis make_axis(int length, int cell, bool reversed) {
  return {length, cell, reversed ? length % cell : 0};
}

std::string count_text(std::size_t faces) {
  return std::to_string(faces) + (faces == 1 ? " face" : " faces");
}

/// Appends primitives to the plan of one frame.
class Planner {
 public:
  Planner(const Frame& frame, OverlayPlan& plan)
      : plan_(plan),
        layout_(overlay_layout(frame.size, frame.format, frame.orientation,
                               frame.field_order != FieldOrder::progressive)) {}

  [[nodiscard]] PixelRect around(const Box& box) const { return layout_.around(box); }

  void outline(const PixelRect& outer) {
    for (int side = 0; side < OverlayLayout::kSides; ++side)
      add_rectangle(layout_.side(outer, side), OverlayColor::outline);
  }

  void dot(const Point& point, int face_width) {
    for (int part = 0; part < OverlayLayout::kDotParts; ++part)
      add_rectangle(layout_.dot(point, face_width, part), OverlayColor::dot);
  }

  void label(const PixelRect& outer, std::string_view text) {
    write(layout_.label(outer, atlas().width(text)), text);
  }

  /// Adds a text and its background, whose top left corner is `corner`.
  void write(PixelPoint corner, std::string_view text) {
    add_rectangle(layout_.background(corner, atlas().width(text)), OverlayColor::background);
    int left = corner.x + layout_.padding();
    for (const char character : text) {
      const int glyph = glyph_of(character);
      add_glyph(left, corner.y, glyph);
      left += atlas().advance(glyph);
    }
  }

 private:
  [[nodiscard]] const GlyphAtlas& atlas() const {
    if (!plan_.atlas) plan_.atlas = glyph_atlas(layout_.text_height);
    return *plan_.atlas;
  }

  void add_rectangle(const PixelRect& area, OverlayColor color) {
    if (!area.empty()) plan_.primitives.push_back({area, OverlayPrimitive::kFilled, color});
  }

  void add_glyph(int x, int y, int glyph) {
    const PixelRect cell{x, y, x + atlas().advance(glyph), y + layout_.text_height};
    const PixelRect area = layout_.clip(cell);
    if (area.empty()) return;
    const int column = atlas().columns[static_cast<std::size_t>(glyph)] + area.x1 - cell.x1;
    const int row = area.y1 - cell.y1;
    plan_.primitives.push_back({area, row * atlas().stride() + column, OverlayColor::text});
  }

  OverlayPlan& plan_;
  OverlayLayout layout_;
};

void plan_faces(Planner& planner, const Detections& faces, const OverlayStyle& style,
                std::span<const std::int64_t> tracks) {
  std::vector<PixelRect> outers(faces.size());
  for (std::size_t i = 0; i < faces.size(); ++i) outers[i] = planner.around(faces.boxes[i]);
  for (const PixelRect& outer : outers)
    if (style.boxes && !outer.empty()) planner.outline(outer);
  for (std::size_t i = 0; style.landmarks && i < faces.landmarks.size(); ++i)
    for (const Point& point : faces.landmarks[i])
      if (!outers[i].empty() && faces.has_landmarks(i))
        planner.dot(point, outers[i].x2 - outers[i].x1);
  // Labels are drawn in reverse order. Faces are sorted by falling score, so the label of the
  // highest score is drawn last and covers the labels that it overlaps.
  for (std::size_t i = faces.size(); draws_labels(style) && i-- > 0;) {
    const OverlayText text =
        label_text(faces.scores[i], i < tracks.size() ? tracks[i] : kNoTrack, style);
    if (!outers[i].empty() && text.length > 0)
      planner.label(outers[i], {text.characters, static_cast<std::size_t>(text.length)});
  }
}

std::size_t most_primitives(const Detections& faces, const OverlayStyle& style) {
  const std::size_t each = (style.boxes ? 4U : 0U) + (style.landmarks ? 10U : 0U) +
                           (style.scores ? 5U : 0U) +
                           (style.ids ? OverlayText::kIdDigits + 2U : 0U);
  return faces.size() * each + 32;
}

}  // namespace

StoredMap stored_map(Size stored, Orientation orientation) {
  const int right = stored.width - 1;
  const int bottom = stored.height - 1;
  const std::array<StoredMap, 4> turned{{{1, 0, 0, 0, 1, 0},
                                         {0, 1, 0, -1, 0, bottom},
                                         {-1, 0, right, 0, -1, bottom},
                                         {0, -1, right, 1, 0, 0}}};
  StoredMap map = turned[static_cast<std::size_t>(orientation.quarter_turns)];
  if (orientation.mirrored) {
    map.xx = -map.xx;
    map.xy = -map.xy;
    map.x0 = right - map.x0;
  }
  return map;
}

Size chroma_cell(const PixelFormat& format, bool interlaced) {
  if (!format.has_chroma) return {1, 1};
  Size cell{1 << format.log2_chroma_w, 1 << format.log2_chroma_h};
  if (interlaced && cell.height > 1) cell.height *= 2;
  return cell;
}

OverlayLayout overlay_layout(Size stored, const PixelFormat& format, Orientation orientation,
                             bool interlaced) {
  const Size cell = chroma_cell(format, interlaced);
  const Size picture = upright_size(stored, orientation);
  const StoredMap map = stored_map(stored, orientation);
  const bool swapped = orientation.swaps_axes();
  const int side = std::min(picture.width, picture.height);
  OverlayLayout layout;
  layout.x = make_axis(picture.width, swapped ? cell.height : cell.width, map.xx + map.yx < 0);
  layout.y = make_axis(picture.height, swapped ? cell.width : cell.height, map.xy + map.yy < 0);
  layout.unit = std::max(cell.width, cell.height);
  layout.line = overlay_detail::round_up(std::max(2, (side + 180) / 360), layout.unit);
  layout.text_height = std::clamp(side / 45, 14, 192);
  return layout;
}

OverlayColors overlay_colors(const PixelFormat& format, const ColorInfo& color, Size stored) {
  OverlayColors colors;
  for (std::size_t i = 0; i < kOverlayColorCount; ++i)
    colors[i] = yuv_color(kOverlayRgb[i], format, color, stored);
  return colors;
}

OverlayPlan plan_overlay(const Frame& frame, const Detections& faces, const OverlayStyle& style,
                         std::span<const std::int64_t> tracks) {
  OverlayPlan plan;
  plan.to_stored = stored_map(frame.size, frame.orientation);
  plan.colors = overlay_colors(frame.format, frame.color, frame.size);
  const auto color = [&plan](OverlayColor which) {
    return plan.colors[static_cast<std::size_t>(which)];
  };
  // Two different greys have the same chroma, unless the planes are green, blue and red.
  plan.glyphs_on_all_planes = color(OverlayColor::text).u != color(OverlayColor::background).u;
  plan.primitives.reserve(most_primitives(faces, style));
  Planner planner(frame, plan);
  plan_faces(planner, faces, style, tracks);
  if (style.count) planner.write({0, 0}, count_text(faces.size()));
  return plan;
}

}  // namespace facepipe::overlay
