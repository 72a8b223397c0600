// Computes aggregate channel features in plain loops and doubles, pixel by pixel, as the papers
// describe them. The oracle has only three things in common with the code that it checks: the
// model, the sizes of the scales, and the rule by which a colour chooses an entry of the lightness
// table. The oracle uses the same rule, because rounding can decide between two entries.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "detector/acf/model/acf.h"
#include "detector/acf/pyramid.h"
#include "tests/detector/acf/oracle_windows.h"

namespace facepipe::test {

/// Holds the samples of one channel, row by row.
struct ChannelPlane {
  int width = 0;
  int height = 0;
  std::vector<double> samples;

  ChannelPlane() = default;
  ChannelPlane(int columns, int rows)
      : width(columns),
        height(rows),
        samples(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}
  [[nodiscard]] double& at(int x, int y) { return samples[place(x, y)]; }
  [[nodiscard]] double at(int x, int y) const { return samples[place(x, y)]; }
  [[nodiscard]] std::size_t place(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(x);
  }
};
using ChannelPlanes = std::vector<ChannelPlane>;

/// Returns the padded channels of each of `scales`, which must be all scales of the picture. `rgb`
/// has 4 bytes a pixel.
[[nodiscard]] std::vector<ChannelPlanes> oracle_pyramid(
    const detector::acf::Model& model, const cv::Mat& rgb,
    const std::vector<detector::acf::Scale>& scales);

}  // namespace facepipe::test
