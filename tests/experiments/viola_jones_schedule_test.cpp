// These tests check those computations of the measurements on CUDA that need no device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/programs/viola_jones/active_warps.h"
#include "experiments/programs/viola_jones/compacting_scan.h"

namespace facepipe::viola_jones {
namespace {

using testing::ElementsAre;

std::vector<std::int32_t> stops_of(const std::vector<std::int32_t>& stump_counts) {
  std::vector<StageSpan> stages;
  for (const std::int32_t count : stump_counts) stages.push_back({0, count, 0});
  return stage_stops(stages);
}

/// The expected values were computed by hand from OpenCV's loop.
TEST(StageStops, AreOpenCvs) {
  // In frontalface_alt, stages have 64 stumps or more from stage 9 on. The stops 0, 7 become 0, 4.
  EXPECT_THAT(stops_of({3, 16, 21, 39, 33, 44, 50, 51, 56, 71, 80, 103}), ElementsAre(0, 4, 9));
  // With 13 small stages, the stops 0, 7 stay, because the next stop, 14, is only one behind the
  // end.
  EXPECT_THAT(stops_of(std::vector<std::int32_t>(13, 10)), ElementsAre(0, 7, 13));
  EXPECT_THAT(stops_of({3, 16, 70}), ElementsAre(0, 2));
  EXPECT_THAT(stops_of({70, 80}), ElementsAre(0, 1));
}

TEST(ActiveWarps, AreThoseThereInCyclesWithAny) {
  EXPECT_EQ(active_warps({}), 0);
  // On one multiprocessor, two warps run from 10 to 20 and one warp runs from 40 to 50. No warp
  // runs between 20 and 40.
  const std::vector<WarpTime> one = {{10, 20, 3}, {40, 50, 3}, {10, 20, 3}};
  EXPECT_DOUBLE_EQ(active_warps(one), 1.5);
  EXPECT_EQ(multiprocessors_used(one), 1U);
  // One warp runs while another one runs. The other multiprocessor has its own clock.
  const std::vector<WarpTime> two = {{0, 100, 0}, {20, 40, 0}, {5000, 5100, 1}};
  EXPECT_DOUBLE_EQ(active_warps(two), 220.0 / 200.0);
  EXPECT_EQ(multiprocessors_used(two), 2U);
}

}  // namespace
}  // namespace facepipe::viola_jones
