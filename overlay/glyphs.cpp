#include "overlay/glyphs.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <opencv2/imgproc.hpp>
#include <string>

namespace facepipe::overlay {
namespace {

// Lengths are in units of the Hershey font, in which capitals are 21 high. A glyph's image adds a
// margin of 7 units above and 7 units below. Descenders need the lower margin. The upper margin is
// equal, which centres the text on its background.
constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX;
constexpr double kCapitals = 21;
constexpr double kMargin = 7;
constexpr double kImageHeight = kCapitals + 2 * kMargin;
constexpr double kStroke = 2.8;

/// Draws each glyph larger than needed and shrinks the drawing to texels, because OpenCV draws only
/// strokes of a whole number of pixels. This is too coarse for small text.
struct GlyphRenderer {
  explicit GlyphRenderer(int text_height)
      : oversampling(std::clamp(256 / text_height, 2, 8)),
        unit(oversampling * text_height / kImageHeight),
        stroke(std::max(1, static_cast<int>(std::lround(kStroke * unit)))),
        height(text_height) {}

  [[nodiscard]] int advance(const std::string& text) const {
    int baseline = 0;
    const int width = cv::getTextSize(text, kFont, unit, stroke, &baseline).width - stroke;
    return (width + oversampling - 1) / oversampling;
  }

  void draw(const std::string& text, cv::Mat& cell) const {
    cv::Mat large(height * oversampling, cell.cols * oversampling, CV_8UC1, cv::Scalar(0));
    const int baseline = static_cast<int>(std::lround((kMargin + kCapitals) * unit));
    cv::putText(large, text, {0, baseline}, kFont, unit, cv::Scalar(255), stroke, cv::LINE_AA);
    cv::resize(large, cell, cell.size(), 0, 0, cv::INTER_AREA);
  }

  int oversampling;
  double unit;  ///< pixels of the large drawing in one font unit
  int stroke;   ///< in pixels of the large drawing
  int height;   ///< in texels
};

std::string text_of(int glyph) { return {static_cast<char>(kFirstGlyph + glyph)}; }

std::shared_ptr<const GlyphAtlas> render(int height) {
  const GlyphRenderer renderer(height);
  auto atlas = std::make_shared<GlyphAtlas>();
  atlas->height = height;
  for (int glyph = 0; glyph < kGlyphCount; ++glyph) {
    const auto g = static_cast<std::size_t>(glyph);
    atlas->columns[g + 1] = atlas->columns[g] + std::max(1, renderer.advance(text_of(glyph)));
  }
  atlas->coverage.resize(static_cast<std::size_t>(atlas->stride()) *
                         static_cast<std::size_t>(height));
  cv::Mat all(height, atlas->stride(), CV_8UC1, atlas->coverage.data());
  for (int glyph = 0; glyph < kGlyphCount; ++glyph) {
    const auto g = static_cast<std::size_t>(glyph);
    cv::Mat cell = all.colRange(atlas->columns[g], atlas->columns[g + 1]);
    renderer.draw(text_of(glyph), cell);
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

}  // namespace facepipe::overlay
