#include "core/timing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace facepipe {
namespace {

Clock::time_point at_ms(int milliseconds) {
  return Clock::time_point{} + std::chrono::milliseconds(milliseconds);
}

Interval interval(int begin, int end) { return {at_ms(begin), at_ms(end)}; }

/// Nearest rank, word by word: the smallest value that at least `percent` per cent of all values
/// do not exceed.
float nearest_rank(const std::vector<float>& values, std::size_t percent) {
  float best = *std::max_element(values.begin(), values.end());
  for (const float candidate : values) {
    const auto within = static_cast<std::size_t>(std::count_if(
        values.begin(), values.end(), [&](float value) { return value <= candidate; }));
    if (within * 100 >= percent * values.size()) best = std::min(best, candidate);
  }
  return best;
}

TEST(Percentiles, EqualTheNearestRank) {
  std::mt19937 random(11);
  for (const std::size_t count : {1U, 2U, 3U, 19U, 20U, 21U, 99U, 100U, 101U, 1000U}) {
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(random() % 500) * 0.5F;
    const Percentiles found = percentiles(values);
    EXPECT_EQ(found.p50, nearest_rank(values, 50)) << count;
    EXPECT_EQ(found.p95, nearest_rank(values, 95)) << count;
    EXPECT_EQ(found.p99, nearest_rank(values, 99)) << count;
    EXPECT_EQ(found.max, nearest_rank(values, 100)) << count;
  }
}

TEST(Percentiles, OfNothingAreZero) {
  const Percentiles none = percentiles({});
  EXPECT_EQ(none.p50, 0);
  EXPECT_EQ(none.max, 0);
}

TEST(Interval, KnowsWhetherItRan) {
  EXPECT_FALSE(Interval{}.ran());
  EXPECT_TRUE(interval(5, 7).ran());
  EXPECT_DOUBLE_EQ(interval(5, 7).milliseconds(), 2);
  EXPECT_DOUBLE_EQ(Interval{}.milliseconds(), 0);
}

TEST(StageId, NamesAreDistinctAndInOrder) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < kStageCount; ++i) names.emplace(to_string(static_cast<StageId>(i)));
  EXPECT_EQ(names.size(), kStageCount);
  EXPECT_EQ(to_string(StageId::read), "read");
  EXPECT_EQ(to_string(StageId::mux), "mux");
}

FrameTimes whole_way() {
  FrameTimes times;
  times[StageId::read] = interval(100, 101);
  times[StageId::decode] = interval(101, 105);
  times[StageId::preprocess] = interval(110, 112);
  times[StageId::inference] = interval(112, 160);
  times[StageId::nms] = interval(161, 162);
  times[StageId::overlay] = interval(163, 164);
  times[StageId::encode] = interval(170, 400);
  times[StageId::mux] = interval(401, 402);
  return times;
}

TEST(FrameTimes, TotalIsFromReadToTheLastStage) { EXPECT_DOUBLE_EQ(whole_way().total_ms(), 302); }

TEST(FrameTimes, LatencyLeavesTheEncoderOut) { EXPECT_DOUBLE_EQ(whole_way().latency_ms(), 65); }

TEST(FrameTimes, WithoutVideoTheLastStageThatRanCounts) {
  FrameTimes times = whole_way();
  times[StageId::overlay] = times[StageId::encode] = times[StageId::mux] = {};
  EXPECT_DOUBLE_EQ(times.total_ms(), 62);
  EXPECT_DOUBLE_EQ(times.latency_ms(), 57);
}

TEST(FrameTimes, NothingRanIsZero) {
  EXPECT_DOUBLE_EQ(FrameTimes{}.total_ms(), 0);
  EXPECT_DOUBLE_EQ(FrameTimes{}.latency_ms(), 0);
}

TEST(ScopedInterval, CoversItsScope) {
  Interval measured;
  const Clock::time_point before = Clock::now();
  { const ScopedInterval scope(measured); }
  const Clock::time_point after = Clock::now();
  EXPECT_LE(before, measured.begin);
  EXPECT_LE(measured.begin, measured.end);
  EXPECT_LE(measured.end, after);
}

/// Burns CPU until the thread's own clock has moved by `milliseconds`.
void work_for(double milliseconds) {
  const double begin = ScopedCpuTime::thread_cpu_ms();
  while (ScopedCpuTime::thread_cpu_ms() - begin < milliseconds) {
  }
}

TEST(ScopedCpuTime, AddsWorkOfItsStageOnly) {
  FrameTimes times;
  for (int i = 0; i < 2; ++i) {
    const ScopedCpuTime scope(times, StageId::overlay);
    work_for(3);
  }
  for (std::size_t i = 0; i < kStageCount; ++i) {
    if (i == static_cast<std::size_t>(StageId::overlay)) {
      EXPECT_GE(times.cpu_ms[i], 5.99F);
    } else {
      EXPECT_EQ(times.cpu_ms[i], 0);
    }
  }
}

}  // namespace
}  // namespace facepipe
