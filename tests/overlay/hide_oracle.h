// Computes what hiding faces does to a picture, as overlay/hide.h promises. The oracle is slow: for
// each sample, it turns the sample's chroma cell upright and tests whether the grown box touches
// the cell. It computes in double precision.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "overlay/hide.h"
#include "overlay/yuv_color.h"
#include "tests/support/test_frame.h"

namespace facepipe::test {

/// Holds the samples of Y, U or V as numbers, without the format's shift.
struct OraclePlane {
  int width = 0;
  int height = 0;
  int cell_w = 1;  ///< width of the area of a sample, in pixels
  int cell_h = 1;
  std::vector<double> samples;

  [[nodiscard]] double& at(int x, int y) {
    return samples[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                   static_cast<std::size_t>(x)];
  }
};

inline unsigned component_sample(const Frame& frame, std::size_t component, int x, int y) {
  if (component > 0 && frame.format.semi_planar)
    return raw_sample(frame, 1, 2 * x + static_cast<int>(component) - 1, y);
  return raw_sample(frame, component, x, y);
}

inline std::vector<OraclePlane> planes_of(const Frame& frame) {
  std::vector<OraclePlane> planes(frame.format.has_chroma ? 3 : 1);
  for (std::size_t c = 0; c < planes.size(); ++c) {
    OraclePlane& plane = planes[c];
    const Size size = c == 0 ? frame.size : frame.chroma_size();
    plane.width = size.width;
    plane.height = size.height;
    if (c > 0) plane.cell_w = 1 << frame.format.log2_chroma_w;
    if (c > 0) plane.cell_h = 1 << frame.format.log2_chroma_h;
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        plane.samples.push_back(component_sample(frame, c, x, y) >> frame.format.shift);
  }
  return planes;
}

/// `maybe` means that a sample is near an ellipse's edge. By the contract of hide.h, such a sample
/// can be masked or not.
enum class Masked { no, yes, maybe };

/// Computes the mask of one face.
class MaskOracle {
 public:
  MaskOracle(const Frame& frame, const Box& face, const overlay::HideOptions& options)
      : size_(frame.size), orientation_(frame.orientation), shape_(options.shape) {
    const PixelFormat& format = frame.format;
    if (format.has_chroma) cell_ = {1 << format.log2_chroma_w, 1 << format.log2_chroma_h};
    if (frame.field_order != FieldOrder::progressive && cell_.height == 2) cell_.height = 4;
    const double w = static_cast<double>(face.x2) - face.x1;
    const double h = static_cast<double>(face.y2) - face.y1;
    const auto grow = [&](double edge, double by) {
      return std::isinf(edge) ? edge : edge + options.grow * by;
    };
    x1_ = grow(face.x1, -w);
    x2_ = grow(face.x2, w);
    y1_ = grow(face.y1, -h);
    y2_ = grow(face.y2, h);
    sigma_ = std::max(4.0, 0.25 * w);
    find_whole();
  }

  /// Returns whether the mask's rectangle contains a pixel, which can be outside of the picture.
  [[nodiscard]] bool in_rectangle(int x, int y) const {
    return x >= whole_x1 && x < whole_x2 && y >= whole_y1 && y < whole_y2;
  }

  [[nodiscard]] Masked masked(int x, int y) const {
    if (!in_rectangle(x, y)) return Masked::no;
    if (shape_ == overlay::MaskShape::box || std::isinf(x1_) || std::isinf(x2_)) return Masked::yes;
    const Upright cell = upright_cell(x, y);
    const double cx = (x1_ + x2_) / 2;
    const double cy = (y1_ + y2_) / 2;
    // This is the distance from the ellipse's centre to the cell's nearest point.
    const double dx = std::clamp(cx, cell.x1, cell.x2) - cx;
    const double dy = std::clamp(cy, cell.y1, cell.y2) - cy;
    const auto inside = [&](double more) {
      return std::hypot(dx / ((x2_ - x1_) / 2 + more), dy / ((y2_ - y1_) / 2 + more)) < 1;
    };
    if (inside(0)) return Masked::yes;
    return inside(0.25) ? Masked::maybe : Masked::no;
  }

  /// The mask's rectangle in pixels of the stored picture. It can exceed the picture.
  int whole_x1 = 0;
  int whole_x2 = 0;
  int whole_y1 = 0;
  int whole_y2 = 0;

  [[nodiscard]] std::int64_t area() const {
    const auto overlap = [](int low, int high, int length) {
      return std::max(0, std::min(high, length) - std::max(low, 0));
    };
    return std::int64_t{overlap(whole_x1, whole_x2, size_.width)} *
           overlap(whole_y1, whole_y2, size_.height);
  }
  [[nodiscard]] double sigma() const { return sigma_; }
  [[nodiscard]] Size cell() const { return cell_; }

 private:
  struct Upright {
    double x1, y1, x2, y2;
  };
  /// Returns the chroma cell of a stored pixel in upright coordinates.
  [[nodiscard]] Upright upright_cell(int x, int y) const {
    const auto down = [](int position, int step) {
      return static_cast<int>(std::floor(static_cast<double>(position) / step)) * step;
    };
    const int left = down(x, cell_.width);
    const int top = down(y, cell_.height);
    const PixelPlace a = upright_place({left, top}, size_, orientation_);
    const PixelPlace b =
        upright_place({left + cell_.width - 1, top + cell_.height - 1}, size_, orientation_);
    return {static_cast<double>(std::min(a.x, b.x)), static_cast<double>(std::min(a.y, b.y)),
            static_cast<double>(std::max(a.x, b.x) + 1),
            static_cast<double>(std::max(a.y, b.y) + 1)};
  }

  /// Finds the mask's rectangle by testing positions along both axes, from far before the picture
  /// to far behind it.
  void find_whole() {
    constexpr int kFar = 1000;
    const auto touches = [](double low, double high, double from, double to) {
      // A box without width touches the cell in which it lies.
      return (low < to && high > from) || (low == high && low >= from && low < to);
    };
    const auto touched = [&](int x, int y, bool stored_x) {
      const Upright cell = upright_cell(x, y);
      if (stored_x != orientation_.swaps_axes()) return touches(x1_, x2_, cell.x1, cell.x2);
      return touches(y1_, y2_, cell.y1, cell.y2);
    };
    whole_x1 = whole_y1 = kFar;
    whole_x2 = whole_y2 = -kFar;
    for (int i = -kFar; i < kFar; ++i) {
      if (touched(i, 0, true)) {
        whole_x1 = std::min(whole_x1, i);
        whole_x2 = std::max(whole_x2, i + 1);
      }
      if (touched(0, i, false)) {
        whole_y1 = std::min(whole_y1, i);
        whole_y2 = std::max(whole_y2, i + 1);
      }
    }
  }

  Size size_;
  Orientation orientation_;
  overlay::MaskShape shape_;
  Size cell_{1, 1};
  double x1_, y1_, x2_, y2_, sigma_;
};

/// Mirrors a position at both ends of 0..last until it is within this range. The end samples are
/// repeated: -1 becomes 0.
inline int reflected(int at, int last) {
  while (at < 0 || at > last) at = at < 0 ? -1 - at : 2 * last + 1 - at;
  return at;
}

/// Smooths a row or column of samples with three box filters, each of which is the mean of 2 *
/// radius + 1 samples. The line is mirrored beyond its ends.
inline std::vector<double> three_means(std::vector<double> line, int radius) {
  const int last = static_cast<int>(line.size()) - 1;
  for (int pass = 0; pass < 3; ++pass) {
    std::vector<double> means;
    for (int i = 0; i <= last; ++i) {
      double sum = 0;
      for (int k = i - radius; k <= i + radius; ++k)
        sum += line[static_cast<std::size_t>(reflected(k, last))];
      means.push_back(sum / (2 * radius + 1));
    }
    line = means;
  }
  return line;
}

/// Returns the smallest radius with which three box filters have a variance of at least sigma^2.
inline int oracle_radius(double sigma) {
  int radius = 1;
  while (((2.0 * radius + 1) * (2.0 * radius + 1) - 1) / 4 < sigma * sigma * (1 - 1e-12)) ++radius;
  return radius;
}

/// Blurs those samples of a plane that are in the mask's rectangle and in the picture.
inline void blur_rectangle(OraclePlane& plane, const MaskOracle& mask) {
  std::vector<int> xs;
  std::vector<int> ys;
  for (int x = 0; x < plane.width; ++x)
    if (x * plane.cell_w >= mask.whole_x1 && x * plane.cell_w < mask.whole_x2) xs.push_back(x);
  for (int y = 0; y < plane.height; ++y)
    if (y * plane.cell_h >= mask.whole_y1 && y * plane.cell_h < mask.whole_y2) ys.push_back(y);
  for (const int y : ys) {
    std::vector<double> row;
    for (const int x : xs) row.push_back(plane.at(x, y));
    row = three_means(row, oracle_radius(mask.sigma() / plane.cell_w));
    for (std::size_t i = 0; i < xs.size(); ++i) plane.at(xs[i], y) = row[i];
  }
  for (const int x : xs) {
    std::vector<double> column;
    for (const int y : ys) column.push_back(plane.at(x, y));
    column = three_means(column, oracle_radius(mask.sigma() / plane.cell_h));
    for (std::size_t i = 0; i < ys.size(); ++i) plane.at(x, ys[i]) = column[i];
  }
}

/// Returns the index of the mosaic cell that contains a position. There are 4 mosaic cells between
/// `low` and `high`, which consist of whole chroma cells.
inline int mosaic_cell_of(int position, int low, int high, int cell) {
  const int cells = (high - low) / cell;
  const int at = (position - low) / cell;
  int index = 0;
  while ((index + 1) * cells / 4 <= at) ++index;
  return index;
}

inline void mosaic_rectangle(OraclePlane& plane, const MaskOracle& mask) {
  const auto cell_of = [&](int x, int y) {
    x *= plane.cell_w;
    y *= plane.cell_h;
    if (!mask.in_rectangle(x, y)) return -1;
    return 4 * mosaic_cell_of(y, mask.whole_y1, mask.whole_y2, mask.cell().height) +
           mosaic_cell_of(x, mask.whole_x1, mask.whole_x2, mask.cell().width);
  };
  std::array<long, 16> sums{};
  std::array<long, 16> counts{};
  const auto for_each = [&](const auto& visit) {
    for (int y = 0; y < plane.height; ++y)
      for (int x = 0; x < plane.width; ++x)
        if (const int cell = cell_of(x, y); cell >= 0)
          visit(plane.at(x, y), static_cast<std::size_t>(cell));
  };
  for_each([&](double sample, std::size_t cell) {
    sums[cell] += std::lround(sample);
    ++counts[cell];
  });
  for_each([&](double& sample, std::size_t cell) {
    sample = std::floor(static_cast<double>(sums[cell]) / static_cast<double>(counts[cell]) + 0.5);
  });
}

/// Stretches the image over the mask of the upright picture with bilinear interpolation. Each pixel
/// of the image is first blended over the colour `under` and converted.
inline void stretch_image(OraclePlane& plane, std::size_t component, const MaskOracle& mask,
                          const Frame& frame, const overlay::HideOptions& options) {
  const RgbaImage& image = *options.image;
  const Size stored = upright_size(image.size, frame.orientation);
  const auto pixel = [&](int x, int y) {
    const PixelPlace place =
        upright_place({std::clamp(x, 0, stored.width - 1), std::clamp(y, 0, stored.height - 1)},
                      stored, frame.orientation);
    const std::uint8_t* const p =
        &image.bytes[4 * static_cast<std::size_t>(place.y * image.size.width + place.x)];
    const double a = p[3] / 255.0;
    const overlay::YuvColor color = overlay::yuv_color(
        {p[0] / 255.0 * a + options.color.r * (1 - a), p[1] / 255.0 * a + options.color.g * (1 - a),
         p[2] / 255.0 * a + options.color.b * (1 - a)},
        frame.format, frame.color, frame.size);
    const unsigned sample = component == 0 ? color.y : component == 1 ? color.u : color.v;
    return static_cast<double>(sample >> frame.format.shift);
  };
  const auto position = [](int at, int cell, int low, int high, int size) {
    const double centre = (at + 0.5) * cell - low;
    return std::clamp(centre * size / (high - low) - 0.5, 0.0, size - 1.0);
  };
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x) {
      if (!mask.in_rectangle(x * plane.cell_w, y * plane.cell_h)) continue;
      const double u = position(x, plane.cell_w, mask.whole_x1, mask.whole_x2, stored.width);
      const double v = position(y, plane.cell_h, mask.whole_y1, mask.whole_y2, stored.height);
      const int left = static_cast<int>(u);
      const int top = static_cast<int>(v);
      plane.at(x, y) =
          (pixel(left, top) * (left + 1 - u) + pixel(left + 1, top) * (u - left)) * (top + 1 - v) +
          (pixel(left, top + 1) * (left + 1 - u) + pixel(left + 1, top + 1) * (u - left)) *
              (v - top);
    }
}

inline void fill_rectangle(OraclePlane& plane, std::size_t component, const MaskOracle& mask,
                           const Frame& frame, const overlay::Rgb& rgb) {
  const overlay::YuvColor color = overlay::yuv_color(rgb, frame.format, frame.color, frame.size);
  const unsigned sample = component == 0 ? color.y : component == 1 ? color.u : color.v;
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x)
      if (mask.in_rectangle(x * plane.cell_w, y * plane.cell_h))
        plane.at(x, y) = sample >> frame.format.shift;
}

/// Hides the whole rectangle of a mask, also the corners outside of an ellipse, in the style of
/// `options`.
inline void hide_rectangle(OraclePlane& plane, std::size_t component, const MaskOracle& mask,
                           const Frame& frame, const overlay::HideOptions& options) {
  switch (options.style) {
    case overlay::HideStyle::solid:
      return fill_rectangle(plane, component, mask, frame, options.color);
    case overlay::HideStyle::blur:
      return blur_rectangle(plane, mask);
    case overlay::HideStyle::mosaic:
      return mosaic_rectangle(plane, mask);
    case overlay::HideStyle::image:
      return stretch_image(plane, component, mask, frame, options);
  }
}

struct HideOracle {
  std::vector<OraclePlane> planes;  ///< expected planes
  /// says for each plane whether each sample is masked
  std::vector<std::vector<Masked>> masked;
  int layers = 0;  ///< largest number of masks that hide the same sample
};

/// Applies the masks one after another, the smallest area first. All areas must differ. Rounds
/// samples to the nearest value after each mask.
inline HideOracle hidden_by_oracle(const Frame& before, std::span<const Box> faces,
                                   const overlay::HideOptions& options) {
  std::vector<MaskOracle> masks;
  for (std::size_t i = 0; i < faces.size(); ++i)  // equal boxes have one mask
    if (std::ranges::find(faces.first(i), faces[i]) == faces.first(i).end())
      masks.emplace_back(before, faces[i], options);
  std::ranges::sort(masks, {}, &MaskOracle::area);
  HideOracle oracle{planes_of(before), {}, 0};
  for (std::size_t c = 0; c < oracle.planes.size(); ++c) {
    OraclePlane& plane = oracle.planes[c];
    std::vector<Masked>& masked = oracle.masked.emplace_back(plane.samples.size(), Masked::no);
    std::vector<int> layers(plane.samples.size());
    for (const MaskOracle& mask : masks) {
      OraclePlane hidden = plane;
      hide_rectangle(hidden, c, mask, before, options);
      for (int y = 0; y < plane.height; ++y)
        for (int x = 0; x < plane.width; ++x) {
          const auto i = static_cast<std::size_t>(y * plane.width + x);
          const Masked here = mask.masked(x * plane.cell_w, y * plane.cell_h);
          if (here == Masked::no) continue;
          plane.samples[i] = hidden.samples[i];
          // A sample stays `maybe` if it is uncertain whether one mask covers it, even if other
          // masks cover it. The reason is that its value depends on the uncertain mask.
          if (here == Masked::maybe || masked[i] != Masked::maybe) masked[i] = here;
          oracle.layers = std::max(oracle.layers, ++layers[i]);
        }
    }
  }
  return oracle;
}

}  // namespace facepipe::test
