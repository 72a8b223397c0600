#include "overlay/glyphs.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <opencv2/imgproc.hpp>
#include <string>

namespace facepipe {
namespace {

// The Hershey font's own units: capitals are 21 high; the cell adds 7 on either side, which
// holds the descenders below and keeps a plate's text in its middle.
constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX;
constexpr double kCapitals = 21;
constexpr double kMargin = 7;
constexpr double kCell = kCapitals + 2 * kMargin;
constexpr double kStroke = 2.8;

/// Sizes at which letters are drawn before they are shrunk to texels: OpenCV knows only whole
/// pixels of stroke width, too coarse for small text.
struct Canvas {
  explicit Canvas(int text_height)
      : oversampling(std::clamp(256 / text_height, 2, 8)),
        unit(oversampling * text_height / kCell),
        stroke(std::max(1, static_cast<int>(std::lround(kStroke * unit)))),
        height(text_height) {}

  [[nodiscard]] int advance(const std::string& letter) const {
    int baseline = 0;
    const int width = cv::getTextSize(letter, kFont, unit, stroke, &baseline).width - stroke;
    return (width + oversampling - 1) / oversampling;
  }

  void draw(const std::string& letter, cv::Mat& cell) const {
    cv::Mat large(height * oversampling, cell.cols * oversampling, CV_8UC1, cv::Scalar(0));
    const int baseline = static_cast<int>(std::lround((kMargin + kCapitals) * unit));
    cv::putText(large, letter, {0, baseline}, kFont, unit, cv::Scalar(255), stroke, cv::LINE_AA);
    cv::resize(large, cell, cell.size(), 0, 0, cv::INTER_AREA);
  }

  int oversampling;
  double unit;  ///< canvas pixels of one font unit
  int stroke;   ///< canvas pixels
  int height;   ///< texels
};

std::string letter_of(int glyph) { return {static_cast<char>(kFirstGlyph + glyph)}; }

std::shared_ptr<const GlyphAtlas> render(int height) {
  const Canvas canvas(height);
  auto atlas = std::make_shared<GlyphAtlas>();
  atlas->height = height;
  for (int glyph = 0; glyph < kGlyphCount; ++glyph) {
    const auto g = static_cast<std::size_t>(glyph);
    atlas->columns[g + 1] = atlas->columns[g] + std::max(1, canvas.advance(letter_of(glyph)));
  }
  atlas->coverage.resize(static_cast<std::size_t>(atlas->stride()) *
                         static_cast<std::size_t>(height));
  cv::Mat all(height, atlas->stride(), CV_8UC1, atlas->coverage.data());
  for (int glyph = 0; glyph < kGlyphCount; ++glyph) {
    const auto g = static_cast<std::size_t>(glyph);
    cv::Mat cell = all.colRange(atlas->columns[g], atlas->columns[g + 1]);
    canvas.draw(letter_of(glyph), cell);
  }
  return atlas;
}

}  // namespace

int GlyphAtlas::width(std::string_view text) const {
  int sum = 0;
  for (const char character : text) sum += advance(glyph_of(character));
  return sum;
}

int glyph_of(char character) {
  const bool printable = character >= kFirstGlyph && character <= kLastGlyph;
  return (printable ? character : '?') - kFirstGlyph;
}

std::shared_ptr<const GlyphAtlas> glyph_atlas(int height) {
  static std::mutex mutex;
  static std::shared_ptr<const GlyphAtlas> last;
  const std::scoped_lock lock(mutex);
  if (!last || last->height != height) last = render(height);
  return last;
}

}  // namespace facepipe
