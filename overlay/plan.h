// Plans what the overlay draws on one frame: a list of rectangles and glyphs with integer
// coordinates.
//
// The CPU's renderer draws a plan. The CUDA kernels have no plan, because the faces are in device
// memory. They compute the same rectangles there, by the functions of overlay/geometry.h, and write
// the same pixels. See Note: colour and subsampling, at the end.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/detections.h"
#include "core/frame.h"
#include "overlay/geometry.h"
#include "overlay/glyphs.h"
#include "overlay/overlay.h"
#include "overlay/yuv_color.h"

namespace facepipe::overlay {

/// Describes a drawing primitive: a filled rectangle or a glyph.
struct OverlayPrimitive {
  static constexpr std::int32_t kFilled = -1;

  PixelRect area;  ///< in the upright picture, inside it, not empty
  /// If `texel` is kFilled, the primitive is a rectangle, which fills `area` in all planes.
  /// Otherwise the primitive is a glyph, and `texel` is the index in the atlas of the texel for the
  /// area's top left pixel. A glyph is blended into luma, and into the other planes too if
  /// OverlayPlan::glyphs_on_all_planes. With coverage c, and on samples without the format's shift,
  /// blending is (old * (255 - c) + color * c + 127) / 255.
  std::int32_t texel = kFilled;
  OverlayColor color = OverlayColor::outline;
};

using OverlayColors = std::array<YuvColor, kOverlayColorCount>;

/// Returns the colours of the overlay for pictures of this format, colour and stored size.
[[nodiscard]] OverlayColors overlay_colors(const PixelFormat& format, const ColorInfo& color,
                                           Size stored);

/// Holds the primitives of one frame. They are drawn in order, so a later primitive covers earlier
/// primitives.
struct OverlayPlan {
  std::vector<OverlayPrimitive> primitives;
  OverlayColors colors{};
  std::shared_ptr<const GlyphAtlas> atlas;  ///< null if there are no glyphs
  bool glyphs_on_all_planes = false;        ///< true if the planes are green, blue and red
  StoredMap to_stored;
};

/// Returns the plan for `faces` on `frame`. It reads the frame's size, format, orientation, colour
/// and field order, but no plane. The outline surrounds the part of a box that is inside of the
/// picture. A face is not drawn if its box is empty, has a NaN or lies outside of the picture. A
/// landmark outside of the picture isn't drawn either.
/// @param tracks  as for draw_overlay()
[[nodiscard]] OverlayPlan plan_overlay(const Frame& frame, const Detections& faces,
                                       const OverlayStyle& style,
                                       std::span<const std::int64_t> tracks = {});

// Note: colour and subsampling. A chroma sample belongs to a chroma cell: a rectangle of up to 4 x
// 4 pixels. If a line covered half of a cell, the colours of the line and of the picture would mix
// in this cell. So the edges of each filled rectangle lie on edges of cells in the stored picture,
// or on the edge of the picture. A rectangle covers a cell completely or not at all. If an axis of
// the upright picture runs opposite to the stored axis, edges are counted from the far end of that
// axis; this matters for odd sizes. In interlaced 4:2:0, the two rows of a chroma cell belong to
// one field. Rectangles there cover cells of both fields together, four rows high. Glyphs can't be
// aligned to cells. But glyphs and their background are grey, so they have the same chroma, and
// only luma is blended. If the planes are green, blue and red, no plane is subsampled, and glyphs
// are blended into each plane.

}  // namespace facepipe::overlay
