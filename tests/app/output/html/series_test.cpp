// These tests check that values of any number, place and size are summed up in bounded memory.
#include "app/output/html/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "app/output/html/longest_tracks.h"

namespace facepipe::app {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::int64_t counted(const Series& series) {
  std::int64_t count = 0;
  for (const Series::Bucket& bucket : series.buckets()) count += bucket.count;
  return count;
}

TEST(Series, HasNothingWithoutValues) {
  const Series series(1);
  EXPECT_EQ(series.count(), 0);
  EXPECT_THAT(series.buckets(), IsEmpty());
  EXPECT_EQ(series.largest(), 0);
  EXPECT_THAT(series.coarser(4).buckets(), IsEmpty());
}

TEST(Series, SumsUpOneValue) {
  Series series(0.5);
  series.add(7.2, 3);
  ASSERT_THAT(series.buckets(), SizeIs(1));
  EXPECT_EQ(series.begin(), 7);
  EXPECT_EQ(series.middle(0), 7.25);
  EXPECT_EQ(series.buckets()[0].mean(), 3);
  EXPECT_EQ(series.last_place(), 7.2);
}

TEST(Series, KeepsRangeAndMeanOfEachBucket) {
  Series series(1);
  for (const double value : {4.0, -2.0, 7.0}) series.add(0.5, value);
  series.add(2.5, 1);
  ASSERT_THAT(series.buckets(), SizeIs(3));
  EXPECT_EQ(series.buckets()[0].least, -2);
  EXPECT_EQ(series.buckets()[0].most, 7);
  EXPECT_EQ(series.buckets()[0].mean(), 3);
  EXPECT_EQ(series.buckets()[1].count, 0);
  EXPECT_EQ(series.buckets()[2].mean(), 1);
}

TEST(Series, OfAFilmHasNoMoreBucketsThanOfAClip) {
  Series series(1.0 / 1024);
  double sum = 0;
  for (int frame = 0; frame < 216000; ++frame) {  // two hours at 30 frames a second
    series.add(frame / 30.0, frame);
    sum += frame;
  }
  EXPECT_LE(series.buckets().size(), 400U);
  EXPECT_GE(series.buckets().size(), 150U);
  EXPECT_EQ(counted(series), 216000);
  double found = 0;
  for (const Series::Bucket& bucket : series.buckets()) found += bucket.sum;
  EXPECT_EQ(found, sum);
  EXPECT_EQ(series.largest(), 215999);
  EXPECT_LE(series.coarser(80).buckets().size(), 80U);
  EXPECT_EQ(counted(series.coarser(80)), 216000);
}

TEST(Series, TakesPlacesInAnyOrderAndOfAnySize) {
  Series series(1.0 / 1024);
  for (const double place : {5.0, -3.0, 1e12, 4.0, -1e12, 0.0, 5.0, 1e15, -1e15})
    series.add(place, 1);
  for (const double place : {kNan, kInfinity, -kInfinity, 1e300}) series.add(place, 1);
  series.add(0, kNan);
  EXPECT_EQ(series.count(), 9);
  EXPECT_EQ(counted(series), 9);
  EXPECT_LE(series.buckets().size(), 400U);
}

TEST(Series, ValuesLieInTheBucketOfTheirPlace) {
  Series series(1.0 / 32, 16);
  for (int i = 0; i < 1000; ++i) {
    const double place = std::fmod(i * 7.77, 100) - 40;
    series.add(place, place);
  }
  for (std::size_t i = 0; i < series.buckets().size(); ++i) {
    if (series.buckets()[i].count == 0) continue;
    EXPECT_GE(series.buckets()[i].least, series.middle(i) - series.width() / 2);
    EXPECT_LE(series.buckets()[i].most, series.middle(i) + series.width() / 2);
  }
}

TEST(LogCounts, AreBarsFromTheSmallestToTheLargestValue) {
  LogCounts counts;
  EXPECT_THAT(counts.bars(10), IsEmpty());
  counts.add(5);
  ASSERT_THAT(counts.bars(10), SizeIs(1));
  EXPECT_LE(counts.bars(10)[0].low, 5);
  EXPECT_GT(counts.bars(10)[0].high, 5);
  for (const double value : {0.0, -3.0, 1e-9, 1e3, 1e30}) counts.add(value);
  for (const double value : {kNan, kInfinity}) counts.add(value);
  EXPECT_EQ(counts.count(), 6);
  const auto bars = counts.bars(10);
  EXPECT_LE(bars.size(), 10U);
  std::int64_t all = 0;
  for (const LogCounts::Bar& bar : bars) {
    EXPECT_LT(bar.low, bar.high);
    all += bar.count;
  }
  EXPECT_EQ(all, 6);
}

TEST(LongestTracks, AreKeptAmongManyShortOnes) {
  LongestTracks tracks;
  EXPECT_THAT(tracks.longest(5), IsEmpty());
  std::int64_t id = 100;
  for (int frame = 0; frame < 20000; ++frame) {
    const double time = frame / 25.0;
    tracks.add(1, time, 0.5F);
    if (frame < 5000) tracks.add(2, time, 0.25F);
    tracks.add(++id, time, 0.1F);  // a new track in each frame
  }
  tracks.add(3, kNan, 1);
  EXPECT_EQ(tracks.count(), 20002);
  const auto longest = tracks.longest(2);
  ASSERT_THAT(longest, SizeIs(2));
  EXPECT_EQ(longest[0].id, 1);
  EXPECT_EQ(longest[1].id, 2);
  EXPECT_NEAR(longest[0].length_s(), 799.96, 1e-6);
  EXPECT_EQ(longest[1].best_score, 0.25F);
}

}  // namespace
}  // namespace facepipe::app
