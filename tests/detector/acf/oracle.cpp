#include "tests/detector/acf/oracle.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace facepipe::test {
namespace {

constexpr int kRadius = 5;
constexpr int kOrientations = 6;

/// Returns the entry of the lightness table that a colour uses. Rounding can decide between two
/// entries, so this computes in single precision like the code that it checks.
int entry_of(float red, float green, float blue) {
  const auto level = static_cast<float>(1.0 / 255);
  const float r = red * level;
  const float g = green * level;
  const float b = blue * level;
  const float weighted = .222015F * r;
  const float both = weighted + .706655F * g;
  return std::min(1024, static_cast<int>((both + .071330F * b) * 1024.0F));
}

ChannelPlanes luv(const cv::Mat& rgb) {
  ChannelPlanes planes(3, ChannelPlane(rgb.cols, rgb.rows));
  for (int y = 0; y < rgb.rows; ++y)
    for (int x = 0; x < rgb.cols; ++x) {
      const auto& pixel = rgb.at<cv::Vec4b>(y, x);
      const double r = pixel[0] / 255.0;
      const double g = pixel[1] / 255.0;
      const double b = pixel[2] / 255.0;
      const double big_x = .430574 * r + .341550 * g + .178325 * b;
      const double big_y = .222015 * r + .706655 * g + .071330 * b;
      const double big_z = .020183 * r + .129553 * g + .939180 * b;
      const double step = entry_of(pixel[0], pixel[1], pixel[2]) / 1024.0;
      const double l = (step > std::pow(6.0 / 29, 3) ? 116 * std::cbrt(step) - 16
                                                     : step * std::pow(29.0 / 3, 3)) /
                       270;
      const double k = 1 / (big_x + 15 * big_y + 3 * big_z + 1e-35);
      planes[0].at(x, y) = l;
      planes[1].at(x, y) = l * (52 * big_x * k - 13 * .197833) + 88.0 / 270;
      planes[2].at(x, y) = l * (117 * big_y * k - 13 * .468331) + 134.0 / 270;
    }
  return planes;
}

using Line = std::vector<double>;

/// Resamples a line. If it becomes shorter, each new sample is the mean of its interval in the old
/// line. If it becomes longer, each new sample interpolates between the middles of two old samples.
Line resampled(const Line& line, int length) {
  const auto before = static_cast<double>(line.size());
  const int last = static_cast<int>(line.size()) - 1;
  Line made;
  for (int i = 0; i < length; ++i) {
    double sum = 0;
    if (length <= last + 1) {
      const double begin = i * before / length;
      const double end = (i + 1) * before / length;
      for (int j = 0; j <= last; ++j)
        sum += line[static_cast<std::size_t>(j)] *
               std::max(0.0, std::min(end, j + 1.0) - std::max<double>(begin, j));
      sum *= length / before;
    } else {
      const double place = (i + .5) * before / length - .5;
      const double low = std::floor(place);
      const auto at = [&](double j) {
        return line[static_cast<std::size_t>(std::clamp(j, 0.0, static_cast<double>(last)))];
      };
      sum = at(low) * (1 - (place - low)) + at(low + 1) * (place - low);
    }
    made.push_back(sum);
  }
  return made;
}

/// Applies change(line, new length) to each column, then to each row.
ChannelPlane both_ways(const ChannelPlane& plane, int width, int height,
                       const std::function<Line(const Line&, int)>& change) {
  ChannelPlane down(plane.width, height);
  for (int x = 0; x < plane.width; ++x) {
    Line column;
    for (int y = 0; y < plane.height; ++y) column.push_back(plane.at(x, y));
    const Line made = change(column, height);
    for (int y = 0; y < height; ++y) down.at(x, y) = made[static_cast<std::size_t>(y)];
  }
  ChannelPlane across(width, height);
  for (int y = 0; y < height; ++y) {
    Line row;
    for (int x = 0; x < plane.width; ++x) row.push_back(down.at(x, y));
    const Line made = change(row, width);
    for (int x = 0; x < width; ++x) across.at(x, y) = made[static_cast<std::size_t>(x)];
  }
  return across;
}

ChannelPlane resized(const ChannelPlane& plane, int width, int height) {
  return both_ways(plane, width, height, resampled);
}

/// Returns weighted means of neighbouring samples. The middle sample has the weight radius + 1, and
/// the weights fall to 1 on both sides. The line is mirrored at its ends.
Line weighted_by_triangle(const Line& line, int radius) {
  const int length = static_cast<int>(line.size());
  Line made;
  for (int i = 0; i < length; ++i) {
    double sum = 0;
    for (int d = -radius; d <= radius; ++d) {
      int at = i + d;
      if (at < 0) at = -1 - at;
      if (at >= length) at = 2 * length - 1 - at;
      sum += (radius + 1 - std::abs(d)) * line[static_cast<std::size_t>(at)];
    }
    made.push_back(sum / ((radius + 1) * (radius + 1)));
  }
  return made;
}

ChannelPlane smoothed(const ChannelPlane& plane, int radius) {
  return both_ways(plane, plane.width, plane.height,
                   [&](const Line& line, int) { return weighted_by_triangle(line, radius); });
}

double difference(double before, double here, double after, bool first, bool last) {
  if (first) return after - here;
  if (last) return here - before;
  return (after - before) / 2;
}

struct Gradients {
  ChannelPlane magnitude;
  ChannelPlane orientation;  // angle from 0 to pi
};

Gradients strongest(const ChannelPlanes& planes) {
  const int width = planes[0].width;
  const int height = planes[0].height;
  Gradients found{{width, height}, {width, height}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double most = -1;
      for (const ChannelPlane& plane : planes) {
        const int left = std::max(0, x - 1);
        const int right = std::min(width - 1, x + 1);
        const int top = std::max(0, y - 1);
        const int bottom = std::min(height - 1, y + 1);
        const double here = plane.at(x, y);
        const double gx =
            difference(plane.at(left, y), here, plane.at(right, y), x == 0, x == width - 1);
        const double gy =
            difference(plane.at(x, top), here, plane.at(x, bottom), y == 0, y == height - 1);
        const double magnitude = std::sqrt(gx * gx + gy * gy);
        if (magnitude <= most) continue;
        most = magnitude;
        const double cosine = magnitude > 0 ? std::clamp(gx / magnitude, -1.0, 1.0) : 0;
        const double angle = std::acos(gy < 0 ? -cosine : cosine);
        found.orientation.at(x, y) = angle < std::numbers::pi ? angle : 0;
      }
      found.magnitude.at(x, y) = most;
    }
  return found;
}

ChannelPlanes channels(const ChannelPlanes& luv_planes) {
  ChannelPlanes colors;
  for (const ChannelPlane& plane : luv_planes) colors.push_back(smoothed(plane, 1));
  const Gradients gradients = strongest(colors);
  const ChannelPlane around = smoothed(gradients.magnitude, kRadius);
  const int width = colors[0].width / 4;
  const int height = colors[0].height / 4;
  ChannelPlanes made(10, ChannelPlane(width, height));
  for (int y = 0; y < 4 * height; ++y)
    for (int x = 0; x < 4 * width; ++x) {
      const double m = gradients.magnitude.at(x, y) / (around.at(x, y) + .005);
      const double o = gradients.orientation.at(x, y) * kOrientations / std::numbers::pi;
      const int bin = static_cast<int>(o);
      const auto add = [&](int channel, double value) {
        made[static_cast<std::size_t>(channel)].at(x / 4, y / 4) += value / 16;
      };
      for (int c = 0; c < 3; ++c) add(c, colors[static_cast<std::size_t>(c)].at(x, y));
      add(3, m);
      add(4 + bin % kOrientations, m * (1 - (o - bin)));
      add(4 + (bin + 1) % kOrientations, m * (o - bin));
    }
  return made;
}

ChannelPlane padded(const ChannelPlane& plane, int x_cells, int y_cells, bool repeated) {
  ChannelPlane made(plane.width + 2 * x_cells, plane.height + 2 * y_cells);
  for (int y = 0; y < made.height; ++y)
    for (int x = 0; x < made.width; ++x) {
      const int from_x = std::clamp(x - x_cells, 0, plane.width - 1);
      const int from_y = std::clamp(y - y_cells, 0, plane.height - 1);
      const bool inside = from_x == x - x_cells && from_y == y - y_cells;
      made.at(x, y) = inside || repeated ? plane.at(from_x, from_y) : 0;
    }
  return made;
}

}  // namespace

std::vector<ChannelPlanes> oracle_pyramid(const detector::acf::Model& model, const cv::Mat& rgb,
                                          const std::vector<detector::acf::Scale>& scales) {
  const ChannelPlanes whole = luv(rgb);
  ChannelPlanes base = whole;
  std::vector<ChannelPlanes> real(scales.size());
  for (std::size_t i = 0; i < scales.size(); i += 8) {  // the first scale of each octave
    const detector::acf::Scale& scale = scales[i];
    ChannelPlanes picture;
    for (const ChannelPlane& plane : scale.scale < 1 ? base : whole)
      picture.push_back(resized(plane, 4 * scale.cells.width, 4 * scale.cells.height));
    if (scale.scale == .5) base = picture;
    real[i] = channels(picture);
  }
  std::vector<ChannelPlanes> made;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    std::size_t from = i / 8 * 8;
    if (i % 8 > 4 && from + 8 < scales.size()) from += 8;
    ChannelPlanes& planes = made.emplace_back();
    for (std::size_t c = 0; c < 10; ++c) {
      ChannelPlane plane = resized(real[from][c], scales[i].cells.width, scales[i].cells.height);
      const double lambda = model.lambdas[c < 3 ? 0 : c == 3 ? 1 : 2];
      for (double& sample : plane.samples)
        sample *= std::pow(scales[i].scale / scales[from].scale, -lambda);
      planes.push_back(
          padded(smoothed(plane, 1), model.padding.width / 4, model.padding.height / 4, c < 3));
    }
  }
  return made;
}

}  // namespace facepipe::test
