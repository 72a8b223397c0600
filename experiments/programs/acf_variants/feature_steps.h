// The steps of Van Ranst et al.'s feature calculation (listing 1), one pixel or cell at a time.
// Kernels, and tests without a device, use this header. The steps compute the channels of our
// detector (detector/acf/channels.h). So gradients are those of the strongest colour, although the
// paper uses only lightness. Magnitudes are normalized, although the paper doesn't mention this.
#pragma once

#include <cstdint>

#include "core/geometry.h"
#include "core/host_device.h"
#include "detector/acf/channels.h"

namespace facepipe::acf_variants {

/// The samples of a picture without padding.
struct Plane {
  const float* samples;
  Size size;

  /// Returns a sample. Outside of the picture, returns the nearest sample at the border.
  [[nodiscard]] FACEPIPE_HOST_DEVICE float at(int x, int y) const {
    return samples[detector::acf::within(y, size.height) * size.width +
                   detector::acf::within(x, size.width)];
  }
};

/// Returns one of several consecutive planes of one size.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline Plane plane_of(const float* first, Size size, int plane) {
  return {first + std::int64_t{size.width} * size.height * plane, size};
}

/// An NV12 picture without padding, which consists of whole chroma cells.
struct Nv12 {
  const std::uint8_t* bytes;
  Size size;
  float to_rgb[3][4];  ///< FrameDescriptor::byte_to_rgb
};

[[nodiscard]] FACEPIPE_HOST_DEVICE inline detector::acf::Luv luv_at(const Nv12& picture,
                                                                    const float* lightness, int x,
                                                                    int y) {
  const int width = picture.size.width;
  const std::uint8_t* const chroma =
      picture.bytes + (picture.size.height + y / 2) * width + x / 2 * 2;
  const auto luma = static_cast<float>(picture.bytes[y * width + x]);
  const auto u = static_cast<float>(chroma[0]);
  const auto v = static_cast<float>(chroma[1]);
  return detector::acf::luv_of(detector::acf::color_of(luma, u, v, picture.to_rgb[0]),
                               detector::acf::color_of(luma, u, v, picture.to_rgb[1]),
                               detector::acf::color_of(luma, u, v, picture.to_rgb[2]), lightness);
}

[[nodiscard]] FACEPIPE_HOST_DEVICE inline float smoothed_at(const Plane& plane, int x, int y) {
  const auto down = [&](int column) {
    return detector::acf::smoothed(plane.at(column, y - 1), plane.at(column, y),
                                   plane.at(column, y + 1));
  };
  return detector::acf::smoothed(down(x - 1), down(x), down(x + 1));
}

struct Gradient {
  float magnitude;
  float orientation;
};

/// Returns the gradient of the strongest colour. `smooth` has kColors planes of smoothed colours.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline Gradient gradient_at(const float* smooth, Size size,
                                                               int x, int y) {
  const auto factor = [](int place, int length) {
    return place == 0 || place == length - 1 ? 1.0F : detector::acf::kHalf;
  };
  float strongest_x = 0;
  float strongest_y = 0;
  float square = -1;
  for (int c = 0; c < detector::acf::kColors; ++c) {
    const Plane of = plane_of(smooth, size, c);
    const float gx = detector::acf::slope(of.at(x - 1, y), of.at(x + 1, y), factor(x, size.width));
    const float gy = detector::acf::slope(of.at(x, y - 1), of.at(x, y + 1), factor(y, size.height));
    const float of_color = detector::acf::squared(gx, gy);
    if (of_color <= square) continue;
    square = of_color;
    strongest_x = gx;
    strongest_y = gy;
  }
  return {detector::acf::root(square), detector::acf::orientation_of(strongest_x, strongest_y)};
}

/// Mirrors a position at the picture's border; the outermost sample is repeated.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline int mirrored(int place, int length) {
  const int inside = place < 0 ? -1 - place : place >= length ? 2 * length - 1 - place : place;
  return detector::acf::within(inside, length);
}

/// Returns the sum of `sample(offset)`, weighted by the triangle 1..6..1.
template <class Sample>
[[nodiscard]] FACEPIPE_HOST_DEVICE float triangle_sum(const Sample& sample) {
  float sum = 0;
  for (int i = -detector::acf::kRadius; i <= detector::acf::kRadius; ++i) {
    const int weight = detector::acf::kRadius + 1 - (i < 0 ? -i : i);
    sum = detector::acf::add(sum, detector::acf::mul(static_cast<float>(weight), sample(i)));
  }
  return sum;
}

[[nodiscard]] FACEPIPE_HOST_DEVICE inline float sum_down_at(const Plane& magnitude, int x, int y) {
  return triangle_sum(
      [&](int i) { return magnitude.at(x, mirrored(y + i, magnitude.size.height)); });
}

/// Divides a magnitude by the mean around it. sum_down_at() makes `sums_down`.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float normalized_at(const Plane& magnitude,
                                                              const Plane& sums_down, int x,
                                                              int y) {
  const float sum =
      triangle_sum([&](int i) { return sums_down.at(mirrored(x + i, sums_down.size.width), y); });
  return detector::acf::normalized(magnitude.at(x, y), sum);
}

/// Adds the magnitudes of a cell's pixels to the cell's histogram.
FACEPIPE_HOST_DEVICE inline void add_to_bins(const Plane& magnitude, const Plane& orientation,
                                             int cell_x, int cell_y,
                                             float (&bins)[detector::acf::kOrientations]) {
  for (int y = cell_y * detector::acf::kShrink; y < (cell_y + 1) * detector::acf::kShrink; ++y)
    for (int x = cell_x * detector::acf::kShrink; x < (cell_x + 1) * detector::acf::kShrink; ++x) {
      const detector::acf::BinShares shares =
          detector::acf::shares_of(magnitude.at(x, y), orientation.at(x, y));
      bins[shares.bin] = detector::acf::add(bins[shares.bin], shares.to_bin);
      bins[shares.next] = detector::acf::add(bins[shares.next], shares.to_next);
    }
}

/// Returns the mean of a plane's pixels in a cell.
[[nodiscard]] FACEPIPE_HOST_DEVICE inline float mean_of_cell(const Plane& plane, int cell_x,
                                                             int cell_y) {
  float sum = 0;
  for (int y = cell_y * detector::acf::kShrink; y < (cell_y + 1) * detector::acf::kShrink; ++y)
    for (int x = cell_x * detector::acf::kShrink; x < (cell_x + 1) * detector::acf::kShrink; ++x)
      sum = detector::acf::add(sum, plane.at(x, y));
  return detector::acf::mul(sum, detector::acf::kCellShare);
}

}  // namespace facepipe::acf_variants
