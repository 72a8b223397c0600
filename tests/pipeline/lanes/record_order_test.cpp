#include "pipeline/lanes/record_order.h"

#include <gmock/gmock.h>

#include <vector>

namespace facepipe::pipeline {
namespace {

std::vector<std::int64_t> order_of(const std::vector<std::int64_t>& pushed) {
  RecordOrder order;
  std::vector<std::int64_t> seen;
  for (const std::int64_t index : pushed) {
    FrameRecord record;
    record.index = index;
    order.push(std::move(record), [&](const FrameRecord& r) { seen.push_back(r.index); });
  }
  return seen;
}

TEST(RecordOrder, HandsOnByIndex) {
  EXPECT_THAT(order_of({0, 4, 2, 1, 3, 5}), testing::ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(RecordOrder, HoldsBackWhatFollowsAGap) {
  EXPECT_THAT(order_of({0, 2, 3}), testing::ElementsAre(0));
}

}  // namespace
}  // namespace facepipe::pipeline
