// Computes the red, green and blue of an upright frame as H.273 defines them: pixel by pixel, in
// double precision.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tests/support/test_frame.h"

namespace facepipe::test {

/// Holds the luma weights of red and blue (H.273, table 4).
struct Weights {
  double red;
  double blue;
};

inline Weights weights_of(int matrix) {
  switch (matrix) {
    case 1:
      return {0.2126, 0.0722};
    case 4:
      return {0.30, 0.11};
    case 7:
      return {0.212, 0.087};
    case 9:
      return {0.2627, 0.0593};
    default:
      return {0.299, 0.114};
  }
}

/// luma() converts a sample to a number from 0 to 1, and chroma() converts one to a number from
/// -0.5 to 0.5.
inline double luma(double code, const Frame& frame) {
  const double unit = std::pow(2.0, frame.format.bits - 8);
  if (frame.color.full_range) return code / (std::pow(2.0, frame.format.bits) - 1);
  return (code / unit - 16) / 219;
}
inline double chroma(double code, const Frame& frame) {
  const double unit = std::pow(2.0, frame.format.bits - 8);
  if (frame.color.full_range) return (code - 128 * unit) / (std::pow(2.0, frame.format.bits) - 1);
  return (code / unit - 128) / 224;
}

struct ChromaPair {
  double cb = 0;
  double cr = 0;
};

inline ChromaPair chroma_sample(const Frame& frame, int column, int row) {
  const bool pairs = frame.format.semi_planar;
  const auto code = [&](std::size_t plane, int x) {
    return static_cast<double>(raw_sample(frame, plane, x, row) >> frame.format.shift);
  };
  return {chroma(pairs ? code(1, 2 * column) : code(1, column), frame),
          chroma(pairs ? code(1, 2 * column + 1) : code(2, column), frame)};
}

inline ChromaPair chroma_at(const Frame& frame, int x, int y) {
  if (!frame.format.has_chroma) return {};
  return chroma_sample(frame, x >> frame.format.log2_chroma_w, y >> frame.format.log2_chroma_h);
}

inline std::array<double, 3> rgb_at(const Frame& frame, int x, int y, int matrix) {
  if (matrix == 0) {  // the planes are green, blue and red
    const double unit = (std::pow(2.0, frame.format.bits) - 1) / 255;
    return {raw_sample(frame, 2, x, y) / unit, raw_sample(frame, 0, x, y) / unit,
            raw_sample(frame, 1, x, y) / unit};
  }
  const double l = luma(raw_sample(frame, 0, x, y) >> frame.format.shift, frame);
  const auto [cb, cr] = chroma_at(frame, x, y);
  const Weights w = weights_of(matrix);
  const double r = l + 2 * (1 - w.red) * cr;
  const double b = l + 2 * (1 - w.blue) * cb;
  const double g = (l - w.red * r - w.blue * b) / (1 - w.red - w.blue);
  return {std::clamp(r, 0.0, 1.0) * 255, std::clamp(g, 0.0, 1.0) * 255,
          std::clamp(b, 0.0, 1.0) * 255};
}

/// Holds the upright picture as three planes of doubles.
class RgbOracle {
 public:
  RgbOracle(const Frame& frame, int matrix) : size_(frame.upright()) {
    for (auto& plane : planes_)
      plane.resize(static_cast<std::size_t>(size_.width) * static_cast<std::size_t>(size_.height));
    for (int y = 0; y < frame.size.height; ++y)
      for (int x = 0; x < frame.size.width; ++x) {
        const PixelPlace to = upright_place({x, y}, frame.size, frame.orientation);
        const std::array<double, 3> rgb = rgb_at(frame, x, y, matrix);
        for (std::size_t c = 0; c < 3; ++c) planes_[c][index(to.x, to.y)] = rgb[c];
      }
  }
  [[nodiscard]] double at(std::size_t channel, int x, int y) const {
    return planes_[channel][index(x, y)];
  }
  [[nodiscard]] Size size() const { return size_; }

 private:
  [[nodiscard]] std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.width) +
           static_cast<std::size_t>(x);
  }
  Size size_;
  std::array<std::vector<double>, 3> planes_;
};

}  // namespace facepipe::test
