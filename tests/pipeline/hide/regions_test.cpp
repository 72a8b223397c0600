// These tests check which regions are hidden at a frame's time.
#include "pipeline/hide/regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/expect_error.h"

namespace facepipe::pipeline {
namespace {

using test::expect_error;
using testing::ElementsAre;
using testing::IsEmpty;

const Box kDoor{10, 20, 30, 40};
const Box kWall{0, 0, 5, 5};

TEST(RegionClock, CountsFromTheInputsFirstStampAndLeavesTheEndOut) {
  Regions regions;
  regions.hidden = {{"door", kDoor, {1, 2}}, {"wall", kWall, {}}};
  regions.kept = {{"poster", kWall, {std::nullopt, 1.5}}};
  regions.all_hidden = {{3, std::nullopt}};
  const RegionClock clock(regions, {640, 480}, {1, 1000}, 5'000'000);
  EXPECT_THAT(clock.at(5999).hidden, ElementsAre(kWall));
  EXPECT_THAT(clock.at(6000).hidden, ElementsAre(kDoor, kWall));
  EXPECT_THAT(clock.at(6999).hidden, ElementsAre(kDoor, kWall));
  EXPECT_THAT(clock.at(7000).hidden, ElementsAre(kWall));
  EXPECT_THAT(clock.at(6499).kept, ElementsAre(kWall));
  EXPECT_THAT(clock.at(6500).kept, IsEmpty());
  EXPECT_FALSE(clock.at(7999).all_hidden);
  EXPECT_TRUE(clock.at(8000).all_hidden);
}

TEST(RegionClock, RefusesARegionThatIsNowhere) {
  for (const Box& box : {Box{640, 0, 650, 10}, {0, 480, 10, 490}, {-10, 0, 0, 10}}) {
    Regions regions;
    regions.kept = {{"door", box, {}}};
    expect_error(ErrorKind::usage, "region door: lies outside of the picture, 640x480", [&] {
      (void)RegionClock(regions, {640, 480}, {1, 25}, 0);
    });
  }
  Regions regions;
  regions.hidden = {{"door", {639, 479, 700, 500}, {}}};
  EXPECT_THAT(RegionClock(regions, {640, 480}, {1, 25}, 0).at(0).hidden,
              ElementsAre(regions.hidden[0].box));
}

TEST(RegionClock, ABoxLiesInARegionByWhatOfItIsInThePicture) {
  const Size picture{100, 100};
  EXPECT_TRUE(lies_in({10, 10, 20, 20}, {10, 10, 20, 20}, picture));
  EXPECT_FALSE(lies_in({9.9F, 10, 20, 20}, {10, 10, 20, 20}, picture));
  EXPECT_FALSE(lies_in({10, 10, 20, 20.1F}, {10, 10, 20, 20}, picture));
  EXPECT_TRUE(lies_in({-5, -5, 20, 20}, {0, 0, 30, 30}, picture));
  EXPECT_TRUE(lies_in({90, 90, 110, 120}, {80, 80, 100, 100}, picture));
}

}  // namespace
}  // namespace facepipe::pipeline
