// What the overlay draws on one frame: a list of rectangles and letters in integers.
//
// The CPU's rasteriser turns a plan into pixels. The CUDA device has the faces in its own memory
// and finds the same rectangles there, by the functions of overlay_geometry.h, and gives the same
// pixels. See Note: colour and subsampling, at the end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/detections.h"
#include "core/frame.h"
#include "overlay/geometry.h"
#include "overlay/glyphs.h"
#include "overlay/ink.h"
#include "overlay/overlay.h"

namespace facepipe {

/// One thing to draw.
struct Mark {
  static constexpr std::int32_t kSolid = -1;

  PixelRect area;  ///< of the upright picture, inside it, not empty
  /// kSolid: all planes get the ink. Otherwise the index in the atlas of the texel for the area's
  /// top left pixel, and luma alone, or each plane where the plan says so, is blended:
  /// (old * (255 - c) + ink * c + 127) / 255 for coverage c, on samples without the format's shift.
  std::int32_t mask = kSolid;
  Ink ink = Ink::outline;
};

using OverlayInks = std::array<InkSamples, kInkCount>;

/// The samples of each ink on a picture of this format, colour and stored size.
[[nodiscard]] OverlayInks overlay_inks(const PixelFormat& format, const ColorInfo& color,
                                       Size stored);

/// Marks are drawn in their order, each over those before it.
struct OverlayPlan {
  std::vector<Mark> marks;
  OverlayInks inks{};
  std::shared_ptr<const GlyphAtlas> atlas;  ///< null where nothing is written
  bool letters_on_all_planes = false;       ///< planes of green, blue and red, not subsampled
  StoredMap to_stored;
};

/// The plan for `faces` on a frame of this size, format, orientation, colour and field order; its
/// planes are not looked at. A box is cut to the picture first, and its outline lies around what is
/// left; a face whose box is empty, NaN or outside draws nothing, nor does a landmark that is not
/// inside.
[[nodiscard]] OverlayPlan plan_overlay(const Frame& frame, const Detections& faces,
                                       const OverlayStyle& style);

// Note: colour and subsampling.
// A chroma sample belongs to a cell of up to 4 x 4 pixels. Were a line to cover half a cell, its
// colour would bleed into the picture or be diluted by it. So each solid mark's edges lie on the
// cells' edges of the stored picture (or on the picture's own), and a cell is covered by a mark
// wholly or not at all. Where the upright picture runs against the stored one, its cells' edges are
// counted from the far end, which matters for odd sizes. In interlaced 4:2:0 the two rows of a
// chroma cell lie in one field; pairs of cells, four rows high, are covered together.
// Letters can't be aligned so. They are grey on a grey plate, which leaves chroma out of it; where
// the planes are green, blue and red, nothing is subsampled, and letters are drawn on each.

}  // namespace facepipe
