// These tests check which scales a picture has, which samples are weighted to resample a line, and
// where windows are.
#include "detector/acf/pyramid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/detector/acf/models.h"

namespace facepipe::detector::acf {
namespace {

Model of_sizes(Size object, Size window, Size padding) {
  Model model = test::small_model(1, 1);
  model.object = object;
  model.window = window;
  model.padding = padding;
  return model;
}

const Model kPedestrian = of_sizes({41, 100}, {64, 128}, {12, 16});
const Model kFace = of_sizes({40, 48}, {56, 64}, {8, 8});

TEST(AcfScales, AreEightAnOctaveWhileTheObjectFits) {
  const std::vector<Scale> scales = plan_scales(kPedestrian, {1920, 1080}, {});
  ASSERT_EQ(scales.size(), 28U);
  int real = 0;
  for (const Scale& scale : scales) {
    EXPECT_DOUBLE_EQ(scale.scale, std::pow(2, -scale.number / 8.0));
    EXPECT_EQ(scale.real, scale.number % 8 == 0);
    real += scale.real ? 1 : 0;
    EXPECT_TRUE(scale.wanted);
    EXPECT_GE(scale.padded.height, 32);
  }
  EXPECT_EQ(real, 4);
  EXPECT_EQ(scales[0].cells, (Size{480, 270}));
  EXPECT_EQ(scales[8].cells, (Size{240, 135}));
  EXPECT_EQ(scales[16].cells, (Size{120, 68}));  // 67.5 is rounded up
  EXPECT_EQ(scales[0].places, (Size{480 + 6 - 15, 270 + 8 - 31}));
  // The source of a scale is the nearest real scale. Scales after the last real scale use the last
  // one.
  for (const int number : {0, 1, 4}) EXPECT_EQ(scales[static_cast<std::size_t>(number)].source, 0);
  for (const int number : {5, 8, 12}) EXPECT_EQ(scales[static_cast<std::size_t>(number)].source, 8);
  EXPECT_EQ(scales[27].source, 24);
}

TEST(AcfScales, EndWhereTheObjectDoesNotFit) {
  EXPECT_TRUE(plan_scales(kPedestrian, {40, 100}, {}).empty());
  EXPECT_TRUE(plan_scales(kPedestrian, {41, 99}, {}).empty());
  EXPECT_TRUE(plan_scales(kPedestrian, {4000, 1}, {}).empty());
  EXPECT_EQ(plan_scales(kPedestrian, {41, 100}, {}).size(), 1U);
  EXPECT_EQ(plan_scales(kPedestrian, {82, 200}, {}).size(), 9U);
}

TEST(AcfScales, FollowTheSizesWanted) {
  EXPECT_EQ(octaves_up(kFace, 0), 0);
  EXPECT_EQ(octaves_up(kFace, 40), 0);
  EXPECT_EQ(octaves_up(kFace, 39.9), 1);
  EXPECT_EQ(octaves_up(kFace, 20), 1);
  EXPECT_EQ(octaves_up(kFace, 10), 2);
  EXPECT_EQ(octaves_up(kFace, 9), 3);
  const std::vector<Scale> up = plan_scales(kFace, {640, 480}, {20, 0});
  EXPECT_EQ(up.front().cells, (Size{320, 240}));
  EXPECT_FLOAT_EQ(up.front().box_width, 20);
  const std::vector<Scale> some = plan_scales(kFace, {640, 480}, {25, 100});
  for (const Scale& scale : some) {
    const bool has_size = scale.box_width >= 25 && scale.box_height <= 100;
    EXPECT_EQ(scale.wanted, has_size);
    EXPECT_TRUE(has_size || scale.real);
  }
  EXPECT_EQ(some.front().number, 0);  // this scale is only the source of the first wanted scale; no
                                      // windows are searched in it
  EXPECT_FALSE(some.front().wanted);
  EXPECT_TRUE(plan_scales(kFace, {640, 480}, {200, 100}).empty());
}

TEST(AcfScales, PlaceBoxesByTheTrueRatio) {
  // At scale 1, the height of 1082 pixels is rounded to 1084, and the width of 1922 to 1924.
  const std::vector<Scale> scales = plan_scales(kPedestrian, {1922, 1082}, {});
  const Box box = window_box(scales[0], 10, 20);
  EXPECT_NEAR(box.x1, (4 * 10 + 11.5 - 12) * 1922 / 1924.0, 1e-3);
  EXPECT_NEAR(box.y1, (4 * 20 + 14 - 16) * 1082 / 1084.0, 1e-3);
  EXPECT_FLOAT_EQ(box.width(), 41);
  EXPECT_FLOAT_EQ(box.height(), 100);
}

TEST(AcfTaps, AreSharesOfAreaOrTwoNeighbours) {
  for (const auto& [before, after] :
       {std::pair{10, 10}, {10, 5}, {10, 7}, {135, 94}, {7, 1}, {5, 8}, {1, 3}, {100, 199}}) {
    const Taps taps = make_taps(before, after);
    ASSERT_EQ(taps.length, after);
    ASSERT_EQ(taps.index.size(), static_cast<std::size_t>(taps.count * after));
    double mean = 0;
    for (int i = 0; i < after; ++i) {
      double sum = 0;
      double centre = 0;
      for (int t = 0; t < taps.count; ++t) {
        const auto at = static_cast<std::size_t>(t * after + i);
        ASSERT_GE(taps.index[at], 0);
        ASSERT_LT(taps.index[at], before);
        EXPECT_GE(taps.weight[at], 0);
        sum += taps.weight[at];
        centre += taps.weight[at] * (taps.index[at] + .5);
      }
      EXPECT_NEAR(sum, 1, 1e-6);
      mean += centre / after;
      const double wanted = (i + .5) * before / after;
      if (before >= after || (wanted > .5 && wanted < before - .5)) {
        EXPECT_NEAR(centre, wanted, before >= after ? .5 : 1e-5) << before << ' ' << after;
      }
    }
    EXPECT_NEAR(mean, before / 2.0, 1e-4);
  }
  EXPECT_EQ(make_taps(8, 4).weight, std::vector<float>(8, .5F));
}

TEST(AcfScore, IsAHalfInTheMiddleAndNeverFalls) {
  Model model = test::small_model(1, 1);
  model.middle = 12;
  model.steepness = .25;
  EXPECT_EQ(score_of(score_curve(model), 12 * kUnit), .5F);
  for (const double h : {-1.0, 3.7, 11.9, 20.0, 60.0})
    EXPECT_NEAR(score_of(score_curve(model), static_cast<std::int32_t>(h * kUnit)),
                1 / (1 + std::exp(-.25 * (h - 12))), 1e-6);
  float last = 0;
  for (std::int32_t sum = -100 * kUnit; sum < 100 * kUnit; sum += 777) {
    EXPECT_GE(score_of(score_curve(model), sum), last);
    last = score_of(score_curve(model), sum);
  }
  for (const float score : {0.0F, .02F, .5F, .9F}) {
    const std::int32_t least = least_sum_above(model, score);
    EXPECT_GT(score_of(score_curve(model), least), score);
    EXPECT_LE(score_of(score_curve(model), least - 1), score);
  }
  EXPECT_EQ(least_sum_above(model, 1), std::numeric_limits<std::int32_t>::max());
}

}  // namespace
}  // namespace facepipe::detector::acf
