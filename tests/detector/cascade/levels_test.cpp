#include "detector/cascade/levels.h"

#include <gtest/gtest.h>

#include <vector>

namespace facepipe::detector {
namespace {

using cascade::Level;
using cascade::LevelOptions;
using cascade::plan_levels;

constexpr Size kWindow{24, 24};

TEST(Levels, GoFromTheSmallestWindowToThePicture) {
  const std::vector<Level> levels = plan_levels(kWindow, {100, 60}, {1.5});
  // The third level's window is 24 * 1.5^2 = 54; the fourth would be 24 * 1.5^3 = 81 > 60.
  ASSERT_EQ(levels.size(), 3U);
  EXPECT_EQ(levels[0].size, (Size{100, 60}));
  EXPECT_EQ(levels[1].size, (Size{67, 40}));  // 100 / 1.5 = 66.67
  EXPECT_EQ(levels[2].size, (Size{44, 27}));  // 100 / 2.25 = 44.44 and 60 / 2.25 = 26.67
  EXPECT_EQ(levels[2].box_size, (Size{54, 54}));
  EXPECT_EQ(levels[1].step, 2);
  EXPECT_EQ(levels[2].step, 1);
  // Every second of 77 columns is used. The next test explains the number of rows.
  EXPECT_EQ(levels[0].places, (Size{39, 18}));
  EXPECT_EQ(levels[2].places, (Size{21, 4}));
}

TEST(Levels, LoseTheLastRowOfSomeHeights) {
  // A width of 320 gives 10 stripes. 118 rows make 59 steps of 2, and 10 stripes of 6 steps have
  // room for all of them.
  EXPECT_EQ(plan_levels(kWindow, {320, 141}, {10})[0].places.height, 59);
  // 121 rows make 121 / 2 = 60 steps, which are 6 for each of the 10 stripes. The last row would be
  // step 61, which is left out.
  EXPECT_EQ(plan_levels(kWindow, {320, 144}, {10})[0].places.height, 60);
}

TEST(Levels, KeepToTheFacesThatAreWanted) {
  const auto sides = [](double least, double most) {
    std::vector<int> found;
    for (const Level& level : plan_levels(kWindow, {200, 200}, {1.5, least, most}))
      found.push_back(level.box_size.width);
    return found;
  };
  EXPECT_EQ(sides(0, 0), (std::vector<int>{24, 36, 54, 81, 122, 182}));
  EXPECT_EQ(sides(36, 0), (std::vector<int>{36, 54, 81, 122, 182}));
  EXPECT_EQ(sides(37, 121), (std::vector<int>{54, 81}));
  EXPECT_EQ(sides(25, 30), std::vector<int>{});
}

TEST(Levels, GoByTheShorterAndTheLongerSide) {
  const Size wide{36, 18};
  EXPECT_EQ(plan_levels(wide, {200, 200}, {1.5, 19, 0}).front().box_size, (Size{54, 27}));
  EXPECT_EQ(plan_levels(wide, {200, 200}, {1.5, 0, 50}).size(), 1U);
}

TEST(Levels, AreNoneWhereTheWindowDoesntFit) {
  for (const Size size : {Size{1, 1}, Size{23, 100}, Size{100, 23}, Size{24, 23}})
    EXPECT_TRUE(plan_levels(kWindow, size, {}).empty()) << to_string(size);
  EXPECT_EQ(plan_levels(kWindow, kWindow, {})[0].places, (Size{1, 1}));
}

TEST(WindowBox, IsInPixelsOfThePicture) {
  Level level;
  level.scale = 1.5F;
  level.box_size = {36, 36};
  // 4.5 and 7.5 are rounded to the nearest even numbers.
  EXPECT_EQ(window_box(level, 3, 5), (Box{4, 8, 40, 44}));
}

}  // namespace
}  // namespace facepipe::detector
