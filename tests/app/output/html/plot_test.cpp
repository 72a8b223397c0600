// These tests check what charts look like with no, one and many values.
#include "app/output/html/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace facepipe::app {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(PlotAxis, PlacesEveryValueOnTheAxis) {
  const PlotAxis linear{10, 20};
  EXPECT_EQ(linear.place(10), 0);
  EXPECT_EQ(linear.place(15), 0.5);
  EXPECT_EQ(linear.place(25), 1);
  EXPECT_EQ(linear.place(kNan), 0);
  const PlotAxis logarithmic{1, 100, true};
  EXPECT_DOUBLE_EQ(logarithmic.place(10), 0.5);
  EXPECT_EQ(logarithmic.place(0), 0);
  EXPECT_EQ(logarithmic.place(-5), 0);
  EXPECT_EQ((PlotAxis{3, 3}).place(3), 0) << "an axis without length";
  EXPECT_EQ((PlotAxis{0, 10, true}).place(5), 0) << "no logarithm of 0";
}

TEST(Plot, WithoutValuesHasNoLine) {
  Plot plot("empty", {0, 1}, {0, 1});
  plot.line({}, "line1");
  plot.band({}, {}, "area1");
  const std::string text = plot.markup().string();
  EXPECT_THAT(text, Not(HasSubstr("line1")));
  EXPECT_THAT(text, HasSubstr("aria-label=\"empty\""));
}

TEST(Plot, ShowsASingleValue) {
  Plot plot("one", {0, 10}, {0, 10});
  plot.line({{5, 5}}, "line1");
  EXPECT_THAT(plot.markup().string(), HasSubstr("d=\"M500 50h0.01\""));
}

TEST(Plot, DrawsLinesBarsAndMarks) {
  Plot plot("all", {0, 10, false, {0, 5, 10}, {}}, {0, 4, false, {0, 2, 4}, {}});
  plot.line({{0, 0}, {10, 4}}, "line1");
  plot.band({{0, 0}, {10, 0}}, {{0, 4}, {10, 4}}, "area1");
  plot.bar(0, 5, 2, "fill1", "a <bar>");
  plot.mark(9, "rule", "late");
  plot.mark(1, "rule", "early");
  const std::string text = plot.markup().string();
  EXPECT_THAT(text, HasSubstr("d=\"M0 100L1000 0\""));
  EXPECT_THAT(text, HasSubstr("d=\"M0 0L1000 0L1000 100L0 100Z\""));
  EXPECT_THAT(text, HasSubstr("<title>a &lt;bar&gt;</title>"));
  EXPECT_THAT(text, HasSubstr("class=\"mark left\" style=\"left:90%;top:0px\""));
  EXPECT_THAT(text, HasSubstr("class=\"mark right\" style=\"left:10%;top:16px\""));
}

TEST(Plot, NeverContainsWhatIsNoNumber) {
  Plot plot("hostile", {kNan, 1}, {0, std::numeric_limits<double>::infinity()});
  plot.line({{kNan, 1}, {1, kNan}}, "line1");
  plot.bar(kNan, kNan, kNan, "fill1", "");
  plot.box({kNan, 0}, {0, kNan}, "fill1", "");
  plot.mark(kNan, "rule", "x");
  const std::string text = plot.markup().string();
  for (const char* const word : {"nan", "inf", "NaN"}) EXPECT_THAT(text, Not(HasSubstr(word)));
}

TEST(Plot, LeavesOutLabelsThatWouldOverlap) {
  PlotAxis crowded{0, 100, false, {}, {}};
  for (int i = 0; i <= 100; ++i) crowded.ticks.push_back(i);
  const std::string text = Plot("crowded", crowded, {0, 1}).markup().string();
  std::size_t labels = 0;
  for (std::size_t at = text.find("class=\"x"); at != std::string::npos;
       at = text.find("class=\"x", at + 1))
    ++labels;
  EXPECT_LE(labels, 11U);
  EXPECT_GE(labels, 8U);
}

}  // namespace
}  // namespace facepipe::app
