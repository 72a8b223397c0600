#include "overlay/overlay.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/error.h"
#include "overlay/plan.h"

namespace facepipe::overlay {
namespace {

constexpr unsigned kOpaque = 255;

template <class Sample>
Sample* row(const Plane& plane, int y) {
  return reinterpret_cast<Sample*>(plane.data + y * plane.stride);
}

template <class Sample>
void fill(const Plane& plane, const PixelRect& area, std::uint16_t value) {
  for (int y = area.y1; y < area.y2; ++y) {
    auto* const line = row<Sample>(plane, y);
    std::fill(line + area.x1, line + area.x2, static_cast<Sample>(value));
  }
}

/// Fills a plane of interleaved chroma.
template <class Sample>
void fill_pairs(const Plane& plane, const PixelRect& area, const YuvColor& color) {
  for (int y = area.y1; y < area.y2; ++y) {
    auto* const line = row<Sample>(plane, y);
    for (std::ptrdiff_t x = area.x1; x < area.x2; ++x) {
      line[2 * x] = static_cast<Sample>(color.u);
      line[2 * x + 1] = static_cast<Sample>(color.v);
    }
  }
}

/// Returns the chroma samples of a filled rectangle, whose edges are edges of chroma cells or of
/// the picture.
PixelRect chroma_area(const PixelRect& area, const PixelFormat& format) {
  const int w = format.log2_chroma_w;
  const int h = format.log2_chroma_h;
  return {area.x1 >> w, area.y1 >> h, ((area.x2 - 1) >> w) + 1, ((area.y2 - 1) >> h) + 1};
}

template <class Sample>
void draw_rectangle(const Frame& frame, const PixelRect& area, const YuvColor& color) {
  fill<Sample>(frame.planes[0], area, color.y);
  if (frame.format.has_alpha) fill<Sample>(frame.planes[3], area, frame.format.largest());
  if (!frame.format.has_chroma) return;
  const PixelRect chroma = chroma_area(area, frame.format);
  if (frame.format.semi_planar) {
    fill_pairs<Sample>(frame.planes[1], chroma, color);
  } else {
    fill<Sample>(frame.planes[1], chroma, color.u);
    fill<Sample>(frame.planes[2], chroma, color.v);
  }
}

template <class Sample>
Sample blend(Sample under, unsigned color, unsigned coverage, int shift) {
  const unsigned old = static_cast<unsigned>(under) >> shift;
  const unsigned mixed = (old * (kOpaque - coverage) + color * coverage + kOpaque / 2) / kOpaque;
  return static_cast<Sample>(mixed << shift);
}

/// Says how to read a glyph's texels in the order of the stored picture's pixels. `right` is the
/// step in the atlas for the next pixel of a row, and `down` the step for the next row. Depending
/// on the orientation, each is a step in one of four directions.
struct TexelWalk {
  const std::uint8_t* start;
  std::ptrdiff_t right;
  std::ptrdiff_t down;
};

TexelWalk texel_walk(const OverlayPlan& plan, const OverlayPrimitive& primitive) {
  const StoredMap& map = plan.to_stored;
  const std::ptrdiff_t stride = plan.atlas->stride();
  TexelWalk walk{plan.atlas->coverage.data() + primitive.texel, map.xx + map.xy * stride,
                 map.yx + map.yy * stride};
  const int last_column = primitive.area.x2 - primitive.area.x1 - 1;
  const int last_row = primitive.area.y2 - primitive.area.y1 - 1;
  if (map.xx + map.yx < 0) walk.start += last_column;
  if (map.xy + map.yy < 0) walk.start += last_row * stride;
  return walk;
}

template <class Sample>
void draw_glyph(const Plane& plane, const TexelWalk& walk, const PixelRect& area,
                std::uint16_t color, int shift) {
  const unsigned full = static_cast<unsigned>(color) >> shift;
  for (int y = area.y1; y < area.y2; ++y) {
    auto* const line = row<Sample>(plane, y);
    const std::uint8_t* texel = walk.start + (y - area.y1) * walk.down;
    for (int x = area.x1; x < area.x2; ++x, texel += walk.right)
      if (*texel != 0) line[x] = blend(line[x], full, *texel, shift);
  }
}

template <class Sample>
void draw_glyph(const Frame& frame, const OverlayPlan& plan, const OverlayPrimitive& primitive,
                const PixelRect& area, const YuvColor& color) {
  const TexelWalk walk = texel_walk(plan, primitive);
  const int shift = frame.format.shift;
  draw_glyph<Sample>(frame.planes[0], walk, area, color.y, shift);
  if (frame.format.has_alpha)
    draw_glyph<Sample>(frame.planes[3], walk, area, frame.format.largest(), shift);
  if (!plan.glyphs_on_all_planes) return;
  draw_glyph<Sample>(frame.planes[1], walk, area, color.u, shift);
  draw_glyph<Sample>(frame.planes[2], walk, area, color.v, shift);
}

template <class Sample>
void draw(const Frame& frame, const OverlayPlan& plan) {
  for (const OverlayPrimitive& primitive : plan.primitives) {
    const PixelRect area = plan.to_stored(primitive.area);
    const YuvColor& color = plan.colors[static_cast<std::size_t>(primitive.color)];
    if (primitive.texel == OverlayPrimitive::kFilled)
      draw_rectangle<Sample>(frame, area, color);
    else
      draw_glyph<Sample>(frame, plan, primitive, area, color);
  }
}

}  // namespace

void draw_overlay(Frame& frame, const Detections& faces, const OverlayStyle& style,
                  std::span<const std::int64_t> tracks) {
  if (frame.device.kind != DeviceKind::cpu)
    throw Error(ErrorKind::internal,
                "overlay: the frame is on " + to_string(frame.device) + ", not on the cpu");
  if (!style.any()) return;
  const OverlayPlan plan = plan_overlay(frame, faces, style, tracks);
  if (frame.format.bytes_per_sample() == 1)
    draw<std::uint8_t>(frame, plan);
  else
    draw<std::uint16_t>(frame, plan);
}

}  // namespace facepipe::overlay
