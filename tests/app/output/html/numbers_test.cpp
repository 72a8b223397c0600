// These tests check how pages write numbers.
#include "app/output/html/numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace facepipe::app {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const char* const kDash = "\u2013";

TEST(PageNumbers, HaveAboutThreeDigits) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(0.1234), "0.123");
  EXPECT_EQ(short_number(1.5), "1.5");
  EXPECT_EQ(short_number(12.34), "12.3");
  EXPECT_EQ(short_number(99.96), "100");
  EXPECT_EQ(short_number(1840), "1,840");
  EXPECT_EQ(short_number(54321), "54.3k");
  EXPECT_EQ(short_number(1234567), "1.23M");
  EXPECT_EQ(short_number(-12.34), "-12.3");
  EXPECT_EQ(short_number(kNan), kDash);
  EXPECT_EQ(short_number(kInfinity), kDash);
  EXPECT_EQ(short_number(1e300), "1e+300");
}

TEST(PageNumbers, GroupDigits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

TEST(PageNumbers, WriteTimesAsPeopleSayThem) {
  EXPECT_EQ(short_ms(0.123), "0.12");
  EXPECT_EQ(short_ms(12.34), "12.3");
  EXPECT_EQ(short_ms(1234), "1,234");
  EXPECT_EQ(ms_with_unit(12345), "12.3 s");
  EXPECT_EQ(ms_with_unit(506), "506 ms");
  EXPECT_EQ(ms_with_unit(kNan), kDash);
  EXPECT_EQ(short_time(4.583), "4.58 s");
  EXPECT_EQ(short_time(0), "0 s");
  EXPECT_EQ(short_time(65), "1:05");
  EXPECT_EQ(short_time(59.99), "1:00");
  EXPECT_EQ(short_time(3723), "1:02:03");
  EXPECT_EQ(short_time(-2), "-2 s");
  EXPECT_EQ(short_time(kInfinity), kDash);
}

TEST(PageNumbers, OfSvgAreFinite) {
  EXPECT_EQ(svg_number(12.3456), "12.35");
  EXPECT_EQ(svg_number(-0.001), "0");
  EXPECT_EQ(svg_number(kNan), "0");
  EXPECT_EQ(svg_number(-kInfinity), "0");
}

TEST(PageTicks, AreRound) {
  EXPECT_THAT(round_ticks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(round_ticks(0, 2331, 3), ElementsAre(0, 1000, 2000));
  EXPECT_THAT(round_ticks(-1, 1, 2), ElementsAre(-1, 0, 1));
  EXPECT_THAT(round_ticks(5, 5, 5), IsEmpty());
  EXPECT_THAT(round_ticks(0, kInfinity, 5), IsEmpty());
  EXPECT_THAT(round_ticks(kNan, 1, 5), IsEmpty());
  EXPECT_THAT(round_ticks(0, 1e-300, 5), Each(testing::Ge(0)));
  EXPECT_THAT(time_ticks(0, 30, 5), ElementsAre(0, 10, 20, 30));
  EXPECT_THAT(time_ticks(0, 600, 5), ElementsAre(0, 120, 240, 360, 480, 600));
  EXPECT_THAT(time_ticks(60, 7200, 5), ElementsAre(1800, 3600, 5400, 7200));
  EXPECT_THAT(time_ticks(0, 1e9, 5), testing::SizeIs(testing::Ge(4U)));
  EXPECT_THAT(time_ticks(0, kInfinity, 5), IsEmpty());
  EXPECT_THAT(log_ticks(3, 300, 8), ElementsAre(5, 10, 20, 50, 100, 200));
  EXPECT_THAT(log_ticks(1, 1e6, 8), ElementsAre(1, 10, 100, 1e3, 1e4, 1e5, 1e6));
  EXPECT_THAT(log_ticks(0, 10, 8), IsEmpty());
}

TEST(PageNumbers, SpansNameTheirEndIfItLooksDifferent) {
  EXPECT_EQ(short_span(1, 2.5), "1 s to 2.5 s");
  EXPECT_EQ(short_span(1, 1.001), "1 s");
  EXPECT_EQ(short_spans({}), "");
  EXPECT_EQ(short_spans({{1, 1}, {2, 65}}), "1 s, 2 s to 1:05");
}

}  // namespace
}  // namespace facepipe::app
