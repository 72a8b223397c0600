// Computes the positions of the glyphs of labels and of the count on the device.
#pragma once

#include "overlay/cuda/kernels.h"

namespace facepipe::overlay {

inline constexpr int kCountCharacters = static_cast<int>(kCountWords.size());
static_assert(kCountDigits + kCountCharacters <= OverlayText::kSize);

__device__ inline int column_of(const DeviceGlyphs& glyphs, char character) {
  return glyphs.columns[character - kFirstGlyph];
}
__device__ inline int advance(const DeviceGlyphs& glyphs, char character) {
  return glyphs.columns[character - kFirstGlyph + 1] - column_of(glyphs, character);
}

/// Holds a text at its position.
struct Text {
  // The first row of the glyphs. The background may begin above it, at the edge of a cell.
  int top;
  PixelRect area;    // the background in the upright picture
  PixelRect stored;  // the background in the stored picture; empty if `area` is empty
  int length;
  int lefts[OverlayText::kSize + 1];  // where each glyph begins in the picture; then the text's end
  int columns[OverlayText::kSize];    // where each glyph begins in the atlas
};

__device__ inline void lay_out(const OverlayWork& work, const OverlayLayout& layout,
                               PixelPoint corner, const OverlayText& written, Text& text) {
  text.top = corner.y;
  text.length = written.length;
  int left = corner.x + layout.padding();
  for (int i = 0; i < written.length; ++i) {
    text.lefts[i] = left;
    text.columns[i] = column_of(work.glyphs, written.characters[i]);
    left += advance(work.glyphs, written.characters[i]);
  }
  text.lefts[written.length] = left;
  text.area = layout.background(corner, left - text.lefts[0]);
  text.stored = text.area.empty() ? PixelRect{} : work.to_stored(text.area);
}

__device__ inline int width_of(const DeviceGlyphs& glyphs, const OverlayText& text) {
  int width = 0;
  for (int i = 0; i < text.length; ++i) width += advance(glyphs, text.characters[i]);
  return width;
}

/// Lays out the label of a face. `outer` is OverlayLayout::around() of its box. The background is
/// empty if `outer` is empty or the label has no text.
__device__ inline void lay_out_label(const OverlayWork& work, const OverlayLayout& layout,
                                     const PixelRect& outer, unsigned face, Text& text) {
  const std::int64_t track = work.tracks != nullptr ? work.tracks[face] : kNoTrack;
  const OverlayText label = label_text(work.faces.scores[face], track, work.style);
  text.stored = {};
  if (outer.empty() || label.length == 0) return;
  lay_out(work, layout, layout.label(outer, width_of(work.glyphs, label)), label, text);
}

__device__ inline void lay_out_count(const OverlayWork& work, const OverlayLayout& layout,
                                     unsigned faces, Text& text) {
  OverlayText count;
  count.add_number(faces);
  const char words[] = {' ', 'f', 'a', 'c', 'e', 's'};
  static_assert(sizeof words == kCountCharacters);
  const int word_length = faces == 1 ? kCountCharacters - 1 : kCountCharacters;
  for (int i = 0; i < word_length; ++i) count.add(words[i]);
  lay_out(work, layout, {0, 0}, count, text);
}

}  // namespace facepipe::overlay
