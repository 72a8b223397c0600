#include "core/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace facepipe {
namespace {

constexpr double kRelativeError = 0.01;

/// Returns the percentile by the definition of the nearest rank: the smallest value such that at
/// least `percent` per cent of all values don't exceed it.
double nearest_rank(std::vector<double> values, std::size_t percent) {
  std::sort(values.begin(), values.end());
  std::size_t within = 1;
  while (within * 100 < percent * values.size()) ++within;
  return values[within - 1];
}

Histogram histogram_of(const std::vector<double>& values) {
  Histogram histogram;
  for (const double value : values) histogram.add(value);
  return histogram;
}

void expect_percentiles_of(const std::vector<double>& values, const Histogram& histogram) {
  const Percentiles found = histogram.percentiles();
  const auto expect_near = [](double actual, double exact) {
    EXPECT_NEAR(actual, exact, kRelativeError * exact);
  };
  expect_near(found.p50, nearest_rank(values, 50));
  expect_near(found.p95, nearest_rank(values, 95));
  expect_near(found.p99, nearest_rank(values, 99));
  EXPECT_EQ(found.max, *std::max_element(values.begin(), values.end()));
  EXPECT_EQ(histogram.count(), values.size());
}

/// Returns random durations in milliseconds, from microseconds to hours.
std::vector<double> random_durations(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponent(-3, 7);
  std::vector<double> values(count);
  for (double& value : values) value = std::pow(10.0, exponent(random));
  return values;
}

TEST(Histogram, PercentilesAreWithinOnePercentOfTheNearestRank) {
  for (const std::size_t count : {1U, 2U, 3U, 19U, 20U, 21U, 99U, 100U, 101U, 1000U, 20000U}) {
    SCOPED_TRACE(count);
    const std::vector<double> values = random_durations(count, 11);
    expect_percentiles_of(values, histogram_of(values));
  }
}

TEST(Histogram, EqualValuesAreExact) {
  const Percentiles found = histogram_of({40.03, 40.03, 40.03}).percentiles();
  EXPECT_EQ(found.p50, 40.03);
  EXPECT_EQ(found.p99, 40.03);
}

TEST(Histogram, MergedIsAsAddedToOne) {
  const std::vector<double> first = random_durations(500, 1);
  const std::vector<double> second = random_durations(70, 2);
  Histogram merged;
  merged.merge(Histogram{});
  merged.merge(histogram_of(first));
  merged.merge(histogram_of(second));
  merged.merge(Histogram{});
  std::vector<double> all = first;
  all.insert(all.end(), second.begin(), second.end());
  expect_percentiles_of(all, merged);
  for (const double share : {0.0, 0.01, 0.3, 0.77, 1.0})
    EXPECT_EQ(merged.quantile(share), histogram_of(all).quantile(share));
}

TEST(Histogram, OfNothingIsZero) {
  const Percentiles none = Histogram{}.percentiles();
  EXPECT_EQ(none.p50, 0);
  EXPECT_EQ(none.max, 0);
}

TEST(Histogram, ValuesOutsideOfItsRangeStayWithinTheLeastAndTheLargest) {
  EXPECT_EQ(histogram_of({0, 0, 0}).quantile(0.5), 0);
  EXPECT_LE(histogram_of({0, 1e-5, 2e-5}).quantile(0.5), 1e-4);
  EXPECT_EQ(histogram_of({1, 1e12, 1e13}).quantile(0.6), 1e13);
  EXPECT_EQ(histogram_of({-1, std::numeric_limits<double>::quiet_NaN()}).quantile(1), 0);
}

}  // namespace
}  // namespace facepipe
