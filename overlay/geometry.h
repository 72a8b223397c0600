// Computes the position of everything that the overlay draws, in whole pixels. The host's plan and
// the device's kernels share this arithmetic. See Note: colour and subsampling, in overlay/plan.h.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/frame.h"
#include "core/frame_record.h"
#include "core/geometry.h"
#include "core/host_device.h"
#include "overlay/overlay.h"

namespace facepipe::overlay {

/// Holds the pixels x1 <= x < x2, y1 <= y < y2.
struct PixelRect {
  int x1 = 0;
  int y1 = 0;
  int x2 = 0;
  int y2 = 0;
  [[nodiscard]] FACEPIPE_HOST_DEVICE bool empty() const { return x1 >= x2 || y1 >= y2; }
  friend bool operator==(const PixelRect&, const PixelRect&) = default;
};

struct PixelPoint {
  int x = 0;
  int y = 0;
};

/// Says what a colour of the overlay is used for. A background is the rectangle behind a text.
enum class OverlayColor : std::uint8_t { outline, dot, background, text };
inline constexpr std::size_t kOverlayColorCount = 4;

namespace overlay_detail {
FACEPIPE_HOST_DEVICE inline int smaller(int a, int b) { return b < a ? b : a; }
FACEPIPE_HOST_DEVICE inline int larger(int a, int b) { return a < b ? b : a; }
FACEPIPE_HOST_DEVICE inline int within(int value, int low, int high) {
  return larger(low, smaller(value, high));
}
FACEPIPE_HOST_DEVICE inline int round_up(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}
/// Returns `position` rounded towards 0 and clamped to 0..length. Callers must not pass NaN.
FACEPIPE_HOST_DEVICE inline int clamp_to(float position, int length) {
  if (position <= 0) return 0;
  return position < static_cast<float>(length) ? static_cast<int>(position) : length;
}
}  // namespace overlay_detail

/// Maps a pixel (X, Y) of the upright picture to the pixel (x, y) of the stored picture:
/// x = xx * X + xy * Y + x0, y = yx * X + yy * Y + y0. The map is a rotation by quarter turns, with
/// or without a reflection, so the inverse map has the transposed matrix.
struct StoredMap {
  int xx = 1;
  int xy = 0;
  int x0 = 0;
  int yx = 0;
  int yy = 1;
  int y0 = 0;

  [[nodiscard]] FACEPIPE_HOST_DEVICE PixelPoint stored(PixelPoint upright) const {
    return {xx * upright.x + xy * upright.y + x0, yx * upright.x + yy * upright.y + y0};
  }
  [[nodiscard]] FACEPIPE_HOST_DEVICE PixelPoint upright(PixelPoint stored) const {
    const int x = stored.x - x0;
    const int y = stored.y - y0;
    return {xx * x + yx * y, xy * x + yy * y};
  }
  [[nodiscard]] FACEPIPE_HOST_DEVICE PixelRect operator()(const PixelRect& upright) const {
    using overlay_detail::larger;
    using overlay_detail::smaller;
    const PixelPoint a = stored({upright.x1, upright.y1});
    const PixelPoint b = stored({upright.x2 - 1, upright.y2 - 1});
    return {smaller(a.x, b.x), smaller(a.y, b.y), larger(a.x, b.x) + 1, larger(a.y, b.y) + 1};
  }
};
[[nodiscard]] StoredMap stored_map(Size stored, Orientation orientation);

/// Returns the size of a chroma cell in pixels of the stored picture. In an interlaced picture it
/// is the size of the cells of both fields together. It is 1x1 if there is no chroma.
[[nodiscard]] Size chroma_cell(const PixelFormat& format, bool interlaced);

/// Describes one axis of the upright picture, and the edges of the chroma cells along it. A chroma
/// cell is the rectangle of pixels that share one chroma sample.
struct OverlayAxis {
  int length = 0;
  int cell = 1;    ///< pixels between two edges
  int origin = 0;  ///< the position of an edge, 0 <= origin < cell

  [[nodiscard]] FACEPIPE_HOST_DEVICE int edge_before(int position) const {
    const int past = (position - origin) % cell;
    return position - (past < 0 ? past + cell : past);
  }
  [[nodiscard]] FACEPIPE_HOST_DEVICE int edge_after(int position) const {
    return edge_before(position + cell - 1);
  }
};

/// Holds a text such as "0.87", without a terminating zero.
struct ScoreText {
  static constexpr int kSize = 4;
  char characters[kSize];
};
FACEPIPE_HOST_DEVICE inline ScoreText score_text(float score) {
  double percent = score * 100.0;
  if (!(percent >= 0)) percent = 0;  // also replaces NaN
  if (percent > 100) percent = 100;
  const auto rounded = static_cast<int>(std::lround(percent));
  return {{static_cast<char>('0' + rounded / 100 % 10), '.',
           static_cast<char>('0' + rounded / 10 % 10), static_cast<char>('0' + rounded % 10)}};
}

struct OverlayText {
  static constexpr int kIdDigits = 20;  ///< the largest number of digits of an id
  static constexpr int kSize = kIdDigits + ScoreText::kSize + 2;
  char characters[kSize];
  int length = 0;

  FACEPIPE_HOST_DEVICE void add(char character) { characters[length++] = character; }
  template <class Unsigned>
  FACEPIPE_HOST_DEVICE void add_number(Unsigned number) {
    Unsigned unit = 1;
    while (number / unit >= 10) unit *= 10;
    for (; unit > 0; unit /= 10) add(static_cast<char>('0' + number / unit % 10));
  }
};

/// Returns whether the style gives faces a label.
FACEPIPE_HOST_DEVICE inline bool draws_labels(const OverlayStyle& style) {
  return style.scores || style.ids;
}

/// Returns the text of a face's label: "#12 0.87" or only one of these parts; empty if the style
/// has neither.
/// @param track  not negative, or kNoTrack
FACEPIPE_HOST_DEVICE inline OverlayText label_text(float score, std::int64_t track,
                                                   const OverlayStyle& style) {
  OverlayText text;
  if (style.ids && track != kNoTrack) {
    text.add('#');
    text.add_number(static_cast<std::uint64_t>(track));
  }
  if (!style.scores) return text;
  if (text.length > 0) text.add(' ');
  const ScoreText digits = score_text(score);
  for (const char character : digits.characters) text.add(character);
  return text;
}

/// Holds the sizes and positions of outlines, dots and texts on pictures of one size and format.
/// Rectangles are in pixels of the upright picture and are clipped to it. A rectangle that needs no
/// drawing is empty.
struct OverlayLayout {
  static constexpr int kSides = 4;
  static constexpr int kDotParts = 2;

  OverlayAxis x;
  OverlayAxis y;
  int unit = 1;  ///< a multiple of a chroma cell's width and of its height
  int line = 0;  ///< width of an outline
  int text_height = 0;

  /// Returns the rectangle whose border is the outline of the box; empty if no part of the box is
  /// in the picture.
  [[nodiscard]] FACEPIPE_HOST_DEVICE PixelRect around(const Box& box) const {
    using overlay_detail::clamp_to;
    if (!(box.x1 < box.x2) || !(box.y1 < box.y2)) return {};  // also true for NaN
    const PixelRect inside{
        clamp_to(std::floor(box.x1), x.length), clamp_to(std::floor(box.y1), y.length),
        clamp_to(std::ceil(box.x2), x.length), clamp_to(std::ceil(box.y2), y.length)};
    if (inside.empty()) return {};
    return clip({x.edge_before(inside.x1 - line), y.edge_before(inside.y1 - line),
                 x.edge_after(inside.x2 + line), y.edge_after(inside.y2 + line)});
  }

  /// Returns a side of the outline: 0 above, 1 below, 2 left, 3 right.
  [[nodiscard]] FACEPIPE_HOST_DEVICE PixelRect side(const PixelRect& outer, int which) const {
    PixelRect area = outer;
    if (which == 0) area.y2 = outer.y1 + line;
    if (which == 1) area.y1 = outer.y2 - line;
    if (which == 2) area.x2 = outer.x1 + line;
    if (which == 3) area.x1 = outer.x2 - line;
    return snapped(area);
  }

  /// Returns one of the two rectangles (part 0 or 1) of a landmark's dot. Together they are a
  /// square without its corners, which is as round as whole chroma cells allow. Dots shrink with
  /// the face, so that its five dots stay apart.
  [[nodiscard]] FACEPIPE_HOST_DEVICE PixelRect dot(const Point& point, int face_width,
                                                   int part) const {
    using overlay_detail::round_up;
    using overlay_detail::within;
    const bool in_picture = point.x >= 0 && point.x < static_cast<float>(x.length) &&
                            point.y >= 0 && point.y < static_cast<float>(y.length);
    if (!in_picture) return {};
    const int size = round_up(within(face_width / 8, 1, 2 * line), unit);
    const int corner = size < 3 * unit ? 0 : round_up(size / 4, unit);
    const int left = x.edge_before(static_cast<int>(point.x) - size / 2 + x.cell / 2);
    const int top = y.edge_before(static_cast<int>(point.y) - size / 2 + y.cell / 2);
    if (part == 0) return snapped({left, top + corner, left + size, top + size - corner});
    if (corner == 0) return {};
    return snapped({left + corner, top, left + size - corner, top + size});
  }

  [[nodiscard]] FACEPIPE_HOST_DEVICE int padding() const { return text_height / 6; }
  [[nodiscard]] FACEPIPE_HOST_DEVICE int background_width(int text_width) const {
    return text_width + 2 * padding();
  }

  /// Returns the top left corner of a face's label. The label is above the outline, or below the
  /// outline's upper side if it wouldn't fit above. It is moved to the left if it would leave the
  /// picture on the right.
  [[nodiscard]] FACEPIPE_HOST_DEVICE PixelPoint label(const PixelRect& outer,
                                                      int text_width) const {
    using overlay_detail::larger;
    using overlay_detail::smaller;
    const bool room = outer.y1 >= text_height;
    return {larger(0, smaller(outer.x1, x.length - background_width(text_width))),
            room ? outer.y1 - text_height : outer.y1 + line};
  }

  /// Returns the background of a text whose first glyph begins at corner.x + padding().
  [[nodiscard]] FACEPIPE_HOST_DEVICE PixelRect background(PixelPoint corner, int text_width) const {
    return snapped(
        {corner.x, corner.y, corner.x + background_width(text_width), corner.y + text_height});
  }

  [[nodiscard]] FACEPIPE_HOST_DEVICE PixelRect clip(const PixelRect& rect) const {
    using overlay_detail::larger;
    using overlay_detail::smaller;
    return {larger(rect.x1, 0), larger(rect.y1, 0), smaller(rect.x2, x.length),
            smaller(rect.y2, y.length)};
  }

 private:
  /// Returns `rect` widened to the edges of chroma cells, then clipped to the picture.
  [[nodiscard]] FACEPIPE_HOST_DEVICE PixelRect snapped(const PixelRect& rect) const {
    return clip({x.edge_before(rect.x1), y.edge_before(rect.y1), x.edge_after(rect.x2),
                 y.edge_after(rect.y2)});
  }
};

/// Returns the layout for pictures of this size and format.
/// @param interlaced  the two rows of a chroma cell belong to one field; see the Note in plan.h
[[nodiscard]] OverlayLayout overlay_layout(Size stored, const PixelFormat& format,
                                           Orientation orientation, bool interlaced);

}  // namespace facepipe::overlay
