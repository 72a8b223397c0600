// These tests check that the baseline of bench_nms_papers keeps the same candidates as the scalar
// oracle's greedy rule.
#include "experiments/programs/nms_papers/bitmask_nms.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "nms/cpu/suppressor.h"
#include "tests/support/nms_cases.h"

namespace facepipe::nms_papers {
namespace {

std::vector<std::uint32_t> greedy(const test::NmsCase& all, float threshold) {
  nms::NmsOptions options;
  options.threshold = threshold;
  nms::CpuSuppressor cpu(options, nms::kMaxNmsCapacity);
  const nms::NmsKept kept = cpu.run({all.boxes, all.scores});
  return {kept.indices.begin(), kept.indices.end()};
}

std::vector<std::uint32_t> bitmask(BitmaskNms& nms, const test::NmsCase& all) {
  const cuda::Stream stream;
  nms.rank(all.boxes, all.scores);
  nms.run(stream);
  return {nms.kept().begin(), nms.kept().end()};
}

TEST(BitmaskNms, KeepsWhatGreedyKeeps) {
  for (const float threshold : {0.0F, 0.3F, 0.5F, 1.0F}) {
    BitmaskNms nms(4096, threshold);
    for (const std::size_t count : test::edge_sizes()) {
      for (const test::NmsCase& all : test::exact_cases(count, static_cast<unsigned>(count)))
        EXPECT_EQ(bitmask(nms, all), greedy(all, threshold)) << all.name << " of " << count;
      const test::NmsCase none = test::degenerate(count, 7);
      EXPECT_EQ(bitmask(nms, none), greedy(none, threshold)) << none.name << " of " << count;
    }
    for (const std::size_t count : {1027U, 2895U, 4095U, 4096U})
      for (const test::NmsCase& all :
           {test::tight_faces(count), test::in_raster_order(test::wide_faces(count)),
            test::shuffled(test::crowd(count), 3)})
        EXPECT_EQ(bitmask(nms, all), greedy(all, threshold)) << all.name << " of " << count;
  }
}

TEST(BitmaskNms, RefusesWhatItHasNoRoomFor) {
  BitmaskNms nms(100, 0.5F);
  const test::NmsCase all = test::tight_faces(101);
  EXPECT_THROW(nms.rank(all.boxes, all.scores), std::invalid_argument);
}

}  // namespace
}  // namespace facepipe::nms_papers
