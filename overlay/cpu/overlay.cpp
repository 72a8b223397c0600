#include "overlay/overlay.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/error.h"
#include "overlay/plan.h"

namespace facepipe {
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

/// Interleaved chroma.
template <class Sample>
void fill_pairs(const Plane& plane, const PixelRect& area, const InkSamples& ink) {
  for (int y = area.y1; y < area.y2; ++y) {
    auto* const line = row<Sample>(plane, y);
    for (std::ptrdiff_t x = area.x1; x < area.x2; ++x) {
      line[2 * x] = static_cast<Sample>(ink.u);
      line[2 * x + 1] = static_cast<Sample>(ink.v);
    }
  }
}

/// The chroma samples of a solid mark: its edges are edges of cells or of the picture.
PixelRect chroma_area(const PixelRect& area, const PixelFormat& format) {
  const int w = format.log2_chroma_w;
  const int h = format.log2_chroma_h;
  return {area.x1 >> w, area.y1 >> h, ((area.x2 - 1) >> w) + 1, ((area.y2 - 1) >> h) + 1};
}

template <class Sample>
void draw_solid(const Frame& frame, const PixelRect& area, const InkSamples& ink) {
  fill<Sample>(frame.planes[0], area, ink.y);
  if (!frame.format.has_chroma) return;
  const PixelRect chroma = chroma_area(area, frame.format);
  if (frame.format.semi_planar) {
    fill_pairs<Sample>(frame.planes[1], chroma, ink);
  } else {
    fill<Sample>(frame.planes[1], chroma, ink.u);
    fill<Sample>(frame.planes[2], chroma, ink.v);
  }
}

template <class Sample>
Sample blend(Sample under, unsigned ink, unsigned coverage, int shift) {
  const unsigned old = static_cast<unsigned>(under) >> shift;
  const unsigned mixed = (old * (kOpaque - coverage) + ink * coverage + kOpaque / 2) / kOpaque;
  return static_cast<Sample>(mixed << shift);
}

/// A letter's texels, walked in the order of the stored picture: a step to the right or down there
/// is a step in any of four directions here.
struct MaskWalk {
  const std::uint8_t* start;
  std::ptrdiff_t right;
  std::ptrdiff_t down;
};

MaskWalk mask_walk(const OverlayPlan& plan, const Mark& mark) {
  const StoredMap& map = plan.to_stored;
  const std::ptrdiff_t stride = plan.atlas->stride();
  MaskWalk walk{plan.atlas->coverage.data() + mark.mask, map.xx + map.xy * stride,
                map.yx + map.yy * stride};
  const int last_column = mark.area.x2 - mark.area.x1 - 1;
  const int last_row = mark.area.y2 - mark.area.y1 - 1;
  if (map.xx + map.yx < 0) walk.start += last_column;
  if (map.xy + map.yy < 0) walk.start += last_row * stride;
  return walk;
}

template <class Sample>
void draw_letter(const Plane& plane, const MaskWalk& walk, const PixelRect& area, std::uint16_t ink,
                 int shift) {
  const unsigned full = static_cast<unsigned>(ink) >> shift;
  for (int y = area.y1; y < area.y2; ++y) {
    auto* const line = row<Sample>(plane, y);
    const std::uint8_t* texel = walk.start + (y - area.y1) * walk.down;
    for (int x = area.x1; x < area.x2; ++x, texel += walk.right)
      if (*texel != 0) line[x] = blend(line[x], full, *texel, shift);
  }
}

template <class Sample>
void draw_letter(const Frame& frame, const OverlayPlan& plan, const Mark& mark,
                 const PixelRect& area, const InkSamples& ink) {
  const MaskWalk walk = mask_walk(plan, mark);
  const int shift = frame.format.shift;
  draw_letter<Sample>(frame.planes[0], walk, area, ink.y, shift);
  if (!plan.letters_on_all_planes) return;
  draw_letter<Sample>(frame.planes[1], walk, area, ink.u, shift);
  draw_letter<Sample>(frame.planes[2], walk, area, ink.v, shift);
}

template <class Sample>
void draw(const Frame& frame, const OverlayPlan& plan) {
  for (const Mark& mark : plan.marks) {
    const PixelRect area = plan.to_stored(mark.area);
    const InkSamples& ink = plan.inks[static_cast<std::size_t>(mark.ink)];
    if (mark.mask == Mark::kSolid)
      draw_solid<Sample>(frame, area, ink);
    else
      draw_letter<Sample>(frame, plan, mark, area, ink);
  }
}

}  // namespace

void draw_overlay(Frame& frame, const Detections& faces, const OverlayStyle& style) {
  if (frame.device.kind != DeviceKind::cpu)
    throw Error(ErrorKind::internal,
                "overlay: the frame is on " + to_string(frame.device) + ", not on the cpu");
  if (!style.any()) return;
  const OverlayPlan plan = plan_overlay(frame, faces, style);
  if (frame.format.bytes_per_sample() == 1)
    draw<std::uint8_t>(frame, plan);
  else
    draw<std::uint16_t>(frame, plan);
}

}  // namespace facepipe
