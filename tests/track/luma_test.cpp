// These tests check that each sample of the small luma is the mean of pixels of the upright
// picture. They use all bit depths, sizes and orientations.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/frame.h"
#include "tests/support/test_frame.h"
#include "track/cpu/luma.h"
#include "track/cpu/pyramid.h"

namespace facepipe::track {
namespace {

constexpr PixelFormat k8{false, 1, 1, 8, 0, true};
constexpr PixelFormat k10{false, 1, 1, 10, 0, true};
constexpr PixelFormat kP010{true, 1, 1, 10, 6, true};
constexpr PixelFormat k16{false, 1, 1, 16, 0, true};

Luma luma_of(const Frame& frame) {
  return make_luma(frame.planes[0], frame.format, frame.size, frame.orientation);
}

/// Computes the small luma as its header defines it: turns the picture upright, and computes means
/// of the pixels that exist. At an edge, the mean of one or two pixels equals that of four pixels
/// in which each pixel is repeated equally often.
std::vector<std::uint8_t> oracle(const Frame& frame) {
  const Size up = frame.upright();
  const auto width = static_cast<std::size_t>(up.width);
  std::vector<unsigned> upright(width * static_cast<std::size_t>(up.height));
  for (int y = 0; y < frame.size.height; ++y)
    for (int x = 0; x < frame.size.width; ++x) {
      const auto place = test::upright_place({x, y}, frame.size, frame.orientation);
      upright[static_cast<std::size_t>(place.y) * width + static_cast<std::size_t>(place.x)] =
          test::raw_sample(frame, 0, x, y) >> static_cast<unsigned>(frame.format.shift);
    }
  std::vector<std::uint8_t> means;
  for (int y = 0; y < up.height; y += 2)
    for (int x = 0; x < up.width; x += 2) {
      double sum = 0;
      int count = 0;
      for (int j = y; j < std::min(y + 2, up.height); ++j)
        for (int i = x; i < std::min(x + 2, up.width); ++i, ++count)
          sum += upright[static_cast<std::size_t>(j) * width + static_cast<std::size_t>(i)];
      const double grey = sum / count / (1 << (frame.format.bits - 8));
      means.push_back(static_cast<std::uint8_t>(std::min(255.0, std::floor(grey + 0.5))));
    }
  return means;
}

TEST(Luma, IsTheMeanOfFourPixels) {
  Frame frame = test::make_noise_frame({k8, {4, 2}}, 1);
  const std::vector<unsigned> samples{10, 20, 0, 255, 30, 41, 0, 255};
  for (int i = 0; i < 8; ++i)
    test::set_raw_sample(frame, 0, i % 4, i / 4, samples[static_cast<std::size_t>(i)]);
  const Luma luma = luma_of(frame);
  EXPECT_EQ(luma.picture, (Size{4, 2}));
  EXPECT_EQ(luma.size, (Size{2, 1}));
  EXPECT_EQ(luma.samples, (std::vector<std::uint8_t>{25, 128}));  // 101 / 4 and 510 / 4
}

TEST(Luma, IsThatOfTheUprightPicture) {
  const std::vector<Size> sizes{{1, 1}, {1, 7}, {2, 2}, {3, 5}, {16, 16}, {37, 18}, {64, 33}};
  for (const PixelFormat& format : {k8, k10, kP010, k16})
    for (const Size size : sizes)
      for (const Orientation& orientation : test::all_orientations()) {
        const Frame frame = test::make_noise_frame({format, size, orientation}, 7);
        const Luma luma = luma_of(frame);
        EXPECT_EQ(luma.picture, frame.upright());
        EXPECT_EQ(luma.samples, oracle(frame))
            << to_string(size) << ' ' << format.bits << ' ' << orientation.quarter_turns << ' '
            << orientation.mirrored;
      }
}

TEST(Luma, OfWhiteInAnyDepthIsWhite) {
  for (const PixelFormat& format : {k8, k10, kP010, k16}) {
    Frame frame = test::make_noise_frame({format, {6, 6}}, 1);
    const unsigned white = ((1U << static_cast<unsigned>(format.bits)) - 1)
                           << static_cast<unsigned>(format.shift);
    for (int i = 0; i < 36; ++i) test::set_raw_sample(frame, 0, i % 6, i / 6, white);
    EXPECT_EQ(luma_of(frame).samples, std::vector<std::uint8_t>(9, 255));
  }
}

TEST(LumaPyramid, EndsBeforeALevelIsTooSmall) {
  struct Case {
    Size picture;
    int levels;
    Size last;
  };
  const std::vector<Case> cases{
      {{1, 1}, 1, {1, 1}},         {{16, 16}, 1, {8, 8}},      {{62, 400}, 2, {16, 100}},
      {{1920, 1080}, 6, {30, 17}}, {{1280, 720}, 5, {40, 23}}, {{16384, 16384}, 6, {256, 256}},
  };
  for (const Case& c : cases) {
    const Size half{(c.picture.width + 1) / 2, (c.picture.height + 1) / 2};
    const std::size_t samples =
        static_cast<std::size_t>(half.width) * static_cast<std::size_t>(half.height);
    const LumaPyramid pyramid({c.picture, half, std::vector<std::uint8_t>(samples, 9)});
    ASSERT_EQ(pyramid.shape().levels, c.levels) << to_string(c.picture);
    const LumaLevel last = pyramid.level(c.levels - 1);
    EXPECT_EQ(last.size, c.last);
    EXPECT_EQ(last.scale, static_cast<float>(1 << c.levels));
    EXPECT_EQ(last.samples[0], 9);
  }
}

}  // namespace
}  // namespace facepipe::track
