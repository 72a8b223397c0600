// These tests check in which cells the CPU's grid stores boxes. Any grid must lead to the same
// result, even if some boxes are much larger or smaller than others.
#include "nms/cpu/grid_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/nms/on_cpu.h"

namespace facepipe::test {
namespace {

NmsCase of_all_sizes(std::size_t count, unsigned seed, float origin, float scale) {
  NmsRandom random(seed);
  NmsCase out;
  out.name = "all sizes";
  for (std::size_t i = 0; i < count; ++i) {
    const float side = scale * std::exp(3 * random.uniform());
    const float width = side * std::exp(0.5F * random.normal());
    const float x = origin + 60 * scale * random.uniform();
    const float y = origin + 40 * scale * random.uniform();
    out.add({x, y, x + width, y + side}, random.uniform());
  }
  return out;
}

TEST(Grid, FindsSuppressorsOfAnySizeAnywhere) {
  for (const float scale : {1e-18F, 1e-14F, 1e-3F, 1.0F, 100.0F, 1e16F, 1e18F})
    for (const float origin : {0.0F, -30.0F * scale, 1e6F * scale, 3e7F * scale})
      for (const float threshold : {0.05F, 0.19F, 0.2F, 0.21F, 0.3F, 0.49F, 0.5F, 0.7F})
        for (const nms::NmsOverlap overlap :
             {nms::NmsOverlap::iou, nms::NmsOverlap::diou, nms::NmsOverlap::winner_area,
              nms::NmsOverlap::smaller_area}) {
          nms::NmsOptions options = by_rule(nms::NmsRule::greedy, threshold);
          options.overlap = overlap;
          const NmsCase all = of_all_sizes(300, 60, origin, scale);
          ASSERT_EQ(on_cpu(options, all), NmsScalar(options, candidates_of(all)).answer())
              << scale << ' ' << origin << ' ' << threshold << ' ' << nms::name_of(overlap);
        }
}

TEST(Grid, FindsThoseThatBarelySuppress) {
  // The pairs have all shapes, and IoUs just above the threshold.
  for (const float threshold : {0.2F, 0.25F, 0.3F, 0.45F, 0.5F, 0.6F}) {
    NmsRandom random(61);
    for (int round = 0; round < 300; ++round) {
      NmsCase all;
      const float x = random.uniform(300, 600);
      const float y = random.uniform(300, 600);
      // This box is small, so it is stored in cells.
      const Box a{x, y, x + random.uniform(4, 12), y + random.uniform(4, 12)};
      Box b = a;  // one edge is moved so that the IoU stays above the threshold
      const float target = threshold * random.uniform(1.0F, 1.002F);
      if (random.below(2) == 0)
        b.x2 = b.x1 + a.width() / target;
      else
        b.x1 = b.x2 - a.width() * target;
      // The pair is added first, because other code handles the last boxes, which don't fill a
      // vector.
      all.add(a, random.uniform());
      all.add(b, random.uniform());
      const NmsCase others = disjoint(300);
      for (std::size_t i = 0; i < others.size(); ++i) all.add(others.boxes[i], others.scores[i]);
      const nms::NmsOptions options = by_rule(nms::NmsRule::greedy, threshold);
      ASSERT_EQ(on_cpu(options, all), NmsScalar(options, candidates_of(all)).answer());
    }
  }
}

TEST(Grid, HasOneCellWhereThereIsLittleToGain) {
  nms::Collected found;
  found.left = found.top = 0;
  found.right = found.bottom = 1000;
  found.usual_side = 10;
  found.count = 20;
  EXPECT_TRUE(nms::plan_grid(found).single());
  found.count = 2000;
  EXPECT_FALSE(nms::plan_grid(found).single());
  EXPECT_LE(nms::plan_grid(found).cells(), nms::GridPlan::kMaxCells);
  found.usual_side = 600;
  EXPECT_TRUE(nms::plan_grid(found).single());
  found.right = INFINITY;
  EXPECT_TRUE(nms::plan_grid(found).single());
}

TEST(Grid, ReachesFurtherForLowerThresholds) {
  EXPECT_EQ(nms::reach_of(nms::NmsOverlap::iou, 0.6F).beyond, 0);
  EXPECT_GT(nms::reach_of(nms::NmsOverlap::iou, 0.3F).beyond, (0.5F - 0.3F) / 0.3F);
  EXPECT_TRUE(nms::reach_of(nms::NmsOverlap::diou, 0.3F).by_centre);
  EXPECT_FALSE(nms::reach_of(nms::NmsOverlap::iou, 0.1F).by_centre);
  EXPECT_FALSE(nms::reach_of(nms::NmsOverlap::winner_area, 0.5F).by_centre);
  EXPECT_FALSE(nms::reach_of(nms::NmsOverlap::smaller_area, 0.5F).by_centre);
}

}  // namespace
}  // namespace facepipe::test
