#include "detector/cnn/model/graph/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace facepipe::detector::graph {
namespace {

/// Expects that values which live at the same time share no byte, and that all lie inside of the
/// block.
void expect_sound(const std::vector<Lifetime>& lifetimes, const MemoryPlan& plan) {
  ASSERT_EQ(plan.offsets.size(), lifetimes.size());
  for (std::size_t a = 0; a < lifetimes.size(); ++a) {
    EXPECT_EQ(plan.offsets[a] % kMemoryAlignment, 0U);
    EXPECT_LE(plan.offsets[a] + lifetimes[a].bytes, plan.bytes);
    for (std::size_t b = 0; b < a; ++b) {
      bool same_time = false;
      for (int step = lifetimes[a].first; step <= lifetimes[a].last; ++step)
        same_time |= lifetimes[b].first <= step && step <= lifetimes[b].last;
      const bool apart = plan.offsets[a] + lifetimes[a].bytes <= plan.offsets[b] ||
                         plan.offsets[b] + lifetimes[b].bytes <= plan.offsets[a];
      EXPECT_TRUE(!same_time || apart) << a << " and " << b;
    }
  }
}

TEST(MemoryPlan, OfNothingIsNothing) { EXPECT_EQ(plan_memory({}).bytes, 0U); }

TEST(MemoryPlan, AChainNeedsTwoOfItsBuffers) {
  std::vector<Lifetime> chain;
  for (int i = 0; i < 10; ++i) chain.push_back({1024, i, i + 1});
  const MemoryPlan plan = plan_memory(chain);
  expect_sound(chain, plan);
  EXPECT_EQ(plan.bytes, 2048U);
}

TEST(MemoryPlan, FillsAHoleBetweenTwoThatStay) {
  const std::vector<Lifetime> lifetimes{{1024, 0, 9}, {512, 0, 3}, {512, 4, 9}, {256, 0, 9}};
  const MemoryPlan plan = plan_memory(lifetimes);
  expect_sound(lifetimes, plan);
  EXPECT_EQ(plan.bytes, 1024U + 512U + 256U);
}

TEST(MemoryPlan, IsSoundForRandomLifetimes) {
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    std::vector<Lifetime> lifetimes;
    std::size_t sum = 0;
    for (int i = 0; i < 40; ++i) {
      const int first = static_cast<int>(random() % 60);
      lifetimes.push_back({1 + random() % 5000, first, first + static_cast<int>(random() % 20)});
      sum += lifetimes.back().bytes + kMemoryAlignment;
    }
    const MemoryPlan plan = plan_memory(lifetimes);
    expect_sound(lifetimes, plan);
    EXPECT_LE(plan.bytes, sum);
  }
}

}  // namespace
}  // namespace facepipe::detector::graph
