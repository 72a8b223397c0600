#include "core/timing.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>

namespace facepipe {
namespace {

Clock::time_point at_ms(int milliseconds) {
  return Clock::time_point{} + std::chrono::milliseconds(milliseconds);
}

Interval interval(int begin, int end) { return {at_ms(begin), at_ms(end)}; }

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

TEST(ScopedInterval, IsAsLongAsBothScopesOfAFrameThatWaitedBetween) {
  Interval measured;
  measured.begin = Clock::now() - std::chrono::hours(2);
  measured.end = measured.begin + std::chrono::minutes(1);
  const Clock::time_point before = Clock::now();
  { const ScopedInterval scope(measured); }
  const Clock::time_point after = Clock::now();
  EXPECT_GE(measured.end, before);
  EXPECT_GE(measured.end - measured.begin, std::chrono::minutes(1));
  EXPECT_LE(measured.end - measured.begin, std::chrono::minutes(1) + (after - before));
}

/// Uses the CPU until the thread's CPU clock has advanced by `milliseconds`.
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

TEST(ScopedWork, LeavesOutWhatItsThreadWaited) {
  Clock::duration work{};
  const Clock::time_point before = Clock::now();
  {
    const ScopedWork working(work);
    {
      const ScopedWait waiting;
      work_for(5);  // the scope counts all its time as waiting, even this work
    }
    work_for(2);
  }
  EXPECT_GE(work, std::chrono::microseconds(1990));
  EXPECT_LE(work, (Clock::now() - before) - std::chrono::microseconds(4990));
}

TEST(ScopedWork, DoesNotKnowWhatOtherThreadsWaited) {
  Clock::duration work{};
  {
    const ScopedWork working(work);
    std::thread([] {
      const ScopedWait waiting;
      work_for(3);
    }).join();
  }
  EXPECT_GE(work, std::chrono::microseconds(2990));
}

}  // namespace
}  // namespace facepipe
