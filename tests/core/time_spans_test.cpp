#include "core/time_spans.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace facepipe {
namespace {

std::vector<std::pair<double, double>> pairs_of(const TimeSpans& spans) {
  std::vector<std::pair<double, double>> pairs;
  for (const TimeSpans::Span& span : spans.spans()) pairs.emplace_back(span.from_s, span.to_s);
  return pairs;
}

TEST(TimeSpans, JoinNeighboursAndNeverGrowBeyondTheirLimit) {
  TimeSpans spans(0.25, 4);
  spans.add(1.0);
  spans.add(1.04);
  spans.add(3.0);
  spans.add(std::nan(""));
  ASSERT_EQ(spans.spans().size(), 2U);
  EXPECT_EQ(spans.spans()[0].from_s, 1);
  EXPECT_EQ(spans.spans()[0].to_s, 1.04);
  for (int i = 0; i < 1000; ++i) spans.add(10.0 + i * 3);
  ASSERT_EQ(spans.spans().size(), 4U);
  EXPECT_EQ(spans.spans().front().from_s, 1);
  EXPECT_EQ(spans.spans().back().to_s, 10 + 999 * 3);
  spans.add(0.5);  // times may come late
  EXPECT_EQ(spans.spans().front().from_s, 0.5);
}

TEST(TimeSpans, JoinWhatANewSpanTouches) {
  using Pairs = std::vector<std::pair<double, double>>;
  struct Case {
    TimeSpans::Span added;
    Pairs then;
  };
  const std::vector<Case> cases{
      {{0, 0.5}, {{0, 0.5}, {2, 3}, {5, 6}, {8, 9}}},      // before all
      {{2.2, 2.4}, {{2, 3}, {5, 6}, {8, 9}}},              // within one
      {{3.5, 4}, {{2, 4}, {5, 6}, {8, 9}}},                // extends one, whose end is 0.5 s away
      {{3.8, 4.2}, {{2, 3}, {3.8, 4.2}, {5, 6}, {8, 9}}},  // between two, near none
      {{3.5, 4.5}, {{2, 6}, {8, 9}}},                      // joins two
      {{1, 20}, {{1, 20}}},                                // covers all
      {{10, 11}, {{2, 3}, {5, 6}, {8, 9}, {10, 11}}},      // behind all
      {{4, 3.8}, {{2, 3}, {5, 6}, {8, 9}}},                // ends before it begins
      {{std::nan(""), 3}, {{2, 3}, {5, 6}, {8, 9}}},
      {{3, std::numeric_limits<double>::infinity()}, {{2, 3}, {5, 6}, {8, 9}}},
  };
  for (const Case& c : cases) {
    TimeSpans spans(0.5, 8);
    for (const TimeSpans::Span span : {TimeSpans::Span{8, 9}, {2, 3}, {5, 6}}) spans.add(span);
    spans.add(c.added);
    EXPECT_EQ(pairs_of(spans), c.then) << c.added.from_s << " to " << c.added.to_s;
  }
}

}  // namespace
}  // namespace facepipe
