// The positions of the glyphs of labels and of the count, computed on the device.
#pragma once

#include "overlay/cuda/kernels.h"

namespace facepipe::overlay {

inline constexpr int kCountCharacters = static_cast<int>(kCountWords.size());
inline constexpr int kLongestText = kCountDigits + kCountCharacters;

__device__ inline int column_of(const DeviceGlyphs& glyphs, char character) {
  return glyphs.columns[character - kFirstGlyph];
}
__device__ inline int advance(const DeviceGlyphs& glyphs, char character) {
  return glyphs.columns[character - kFirstGlyph + 1] - column_of(glyphs, character);
}

/// A text at its position: where each glyph begins in the picture and in the atlas.
struct Text {
  int top;  // first row of the glyphs; the background may begin above it, at the edge of a cell
  PixelRect area;    // the background in the upright picture
  PixelRect stored;  // the background in the stored picture; empty if `area` is
  int length;
  int lefts[kLongestText + 1];
  int columns[kLongestText];
};

__device__ inline void lay_out(const OverlayWork& work, const OverlayLayout& layout,
                               PixelPoint corner, const char* characters, int length, Text& text) {
  text.top = corner.y;
  text.length = length;
  int left = corner.x + layout.padding();
  for (int i = 0; i < length; ++i) {
    text.lefts[i] = left;
    text.columns[i] = column_of(work.glyphs, characters[i]);
    left += advance(work.glyphs, characters[i]);
  }
  text.lefts[length] = left;
  text.area = layout.background(corner, left - text.lefts[0]);
  text.stored = text.area.empty() ? PixelRect{} : work.to_stored(text.area);
}

__device__ inline int width_of(const DeviceGlyphs& glyphs, const ScoreText& text) {
  int width = 0;
  for (const char character : text.characters) width += advance(glyphs, character);
  return width;
}

/// The label of a face whose outline's outer edge, not empty, is `outer`.
__device__ inline void lay_out_label(const OverlayWork& work, const OverlayLayout& layout,
                                     const PixelRect& outer, float score, Text& text) {
  const ScoreText score_of = score_text(score);
  lay_out(work, layout, layout.label(outer, width_of(work.glyphs, score_of)), score_of.characters,
          ScoreText::kSize, text);
}

__device__ inline void lay_out_count(const OverlayWork& work, const OverlayLayout& layout,
                                     unsigned faces, Text& text) {
  char digits[kCountDigits];
  int used = 0;
  for (unsigned rest = faces; used == 0 || rest > 0; rest /= 10)
    digits[used++] = static_cast<char>('0' + rest % 10);
  char characters[kLongestText];
  int length = 0;
  while (used > 0) characters[length++] = digits[--used];
  const char words[] = {' ', 'f', 'a', 'c', 'e', 's'};
  static_assert(sizeof words == kCountCharacters);
  const int word_length = faces == 1 ? kCountCharacters - 1 : kCountCharacters;
  for (int i = 0; i < word_length; ++i) characters[length++] = words[i];
  lay_out(work, layout, {0, 0}, characters, length, text);
}

}  // namespace facepipe::overlay
