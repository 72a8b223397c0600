// Letters as coverage masks, rendered once for a text height; the same masks on every device.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace facepipe {

inline constexpr char kFirstGlyph = ' ';
inline constexpr char kLastGlyph = '~';
inline constexpr int kGlyphCount = kLastGlyph - kFirstGlyph + 1;

/// Printable ASCII, all cells side by side in one picture of coverage values, 0 (clear) to 255.
/// A cell is as high as the text and as wide as the letter's advance; the middle of the capitals is
/// the middle of the cell.
struct GlyphAtlas {
  int height = 0;                              ///< of the text: capitals take about 3/5 of it
  std::array<int, kGlyphCount + 1> columns{};  ///< glyph g: columns[g] <= column < columns[g + 1]
  std::vector<std::uint8_t> coverage;          ///< height rows of stride() texels

  [[nodiscard]] int stride() const { return columns.back(); }
  [[nodiscard]] int advance(int glyph) const {
    const auto g = static_cast<std::size_t>(glyph);
    return columns[g + 1] - columns[g];
  }
  [[nodiscard]] int width(std::string_view text) const;
};

/// Number of a character's cell; '?' stands for what is no printable ASCII.
[[nodiscard]] int glyph_of(char character);

/// The atlas for a text height > 0. The last one made is kept, so frames of one size share it.
/// Thread-safe.
[[nodiscard]] std::shared_ptr<const GlyphAtlas> glyph_atlas(int height);

}  // namespace facepipe
