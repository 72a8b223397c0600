// Glyphs are coverage masks, which are rendered once for each text height. Every device blends the
// same masks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace facepipe::overlay {

inline constexpr char kFirstGlyph = ' ';
inline constexpr char kLastGlyph = '~';
inline constexpr int kGlyphCount = kLastGlyph - kFirstGlyph + 1;

/// Holds the glyphs of printable ASCII, side by side in one image of coverage values: 0 is
/// transparent, 255 opaque. A glyph's image is as high as the text and as wide as the glyph's
/// advance. Capitals are centred vertically in the image.
struct GlyphAtlas {
  int height = 0;                              ///< texels; capitals take about 3/5 of the height
  std::array<int, kGlyphCount + 1> columns{};  ///< glyph g: columns[g] <= column < columns[g + 1]
  std::vector<std::uint8_t> coverage;          ///< height rows of stride() texels

  [[nodiscard]] int stride() const { return columns.back(); }
  [[nodiscard]] int advance(int glyph) const {
    const auto g = static_cast<std::size_t>(glyph);
    return columns[g + 1] - columns[g];
  }
  [[nodiscard]] int width(std::string_view text) const;
};

/// Returns the index of a character's glyph in the atlas. A character that is not printable ASCII
/// gets the glyph of '?'.
[[nodiscard]] int glyph_of(char character);

/// Returns the atlas for a text height > 0. The last atlas is cached, so that frames of one size
/// share it. Thread-safe.
[[nodiscard]] std::shared_ptr<const GlyphAtlas> glyph_atlas(int height);

}  // namespace facepipe::overlay
