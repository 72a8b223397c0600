// These tests compare windows and groups with those that OpenCV 4.14 found in the same pictures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "detector/cascade/cpu/cascade_detector.h"
#include "nms/cpu/suppressor.h"
#include "tests/detector/cascade/files.h"
#include "tests/detector/cascade/golden.h"
#include "tests/detector/cascade/oracle.h"

namespace facepipe::detector {
namespace {

using cascade::LevelOptions;
using cascade::Scanner;
using cascade::WindowFinder;
using test::GoldenBox;
using test::GoldenBoxes;
using test::GoldenCase;

// Windows of these cascades are square. So the limits are the larger side of the least size, and
// the smaller side of the largest size.
LevelOptions options_of(const GoldenCase& c) {
  return {c.factor, static_cast<double>(std::max(c.least.width, c.least.height)),
          static_cast<double>(std::min(c.largest.width, c.largest.height))};
}

GoldenBox golden_box(const Box& box, Size picture) {
  const Box part = clipped(box, picture);
  return {static_cast<int>(part.x1), static_cast<int>(part.y1), static_cast<int>(part.width()),
          static_cast<int>(part.height())};
}

void expect_boxes(const std::vector<Box>& boxes, Size picture, const GoldenBoxes& expected) {
  std::vector<GoldenBox> found;
  for (const Box& box : boxes) found.push_back(golden_box(box, picture));
  std::ranges::sort(found);
  EXPECT_EQ(found.size(), expected.count);
  EXPECT_EQ(test::hash_of(found), expected.hash);
  if (!expected.listed.empty()) {
    std::vector<GoldenBox> listed = expected.listed;
    std::ranges::sort(listed);
    EXPECT_TRUE(found == listed);
  }
}

std::vector<Box> groups_of(const std::vector<Box>& windows) {
  nms::NmsOptions options;
  options.rule = nms::NmsRule::groups;
  nms::CpuSuppressor suppressor(options, nms::kMaxNmsCapacity);
  const std::vector<float> scores(windows.size(), 1.0F);
  const nms::NmsKept kept = suppressor.run({windows, scores});
  return {kept.boxes.begin(), kept.boxes.end()};
}

/// Returns whether OpenCV and facepipe differ by a known rule: if no window has a wanted size,
/// OpenCV uses the size nearest to the smallest one, and facepipe uses none.
bool takes_the_nearest(const WindowFinder& finder, const GoldenCase& c) {
  return finder.levels().empty() && c.windows.count > 0;
}

TEST(GoldenWindows, AreThoseOfOpenCv) {
  const test::WindowLists golden = test::read_window_lists();
  std::map<std::string, std::vector<std::uint8_t>> pictures;  // pixels of each picture, which
                                                              // several cases use
  std::map<std::string, cascade::Cascade> cascades;
  Workers workers(2);
  std::size_t compared = 0;
  std::size_t nearest = 0;
  for (const GoldenCase& c : golden.cases) {
    SCOPED_TRACE(testing::Message()
                 << c.picture << ' ' << c.cascade << ' ' << c.stages << ' ' << c.factor << ' '
                 << to_string(c.least) << ' ' << to_string(c.largest));
    const test::PictureRecipe& recipe = golden.pictures.at(c.picture).recipe;
    std::vector<std::uint8_t>& pixels = pictures[c.picture];
    if (pixels.empty()) pixels = test::make_picture(recipe);
    const cv::Mat grey(recipe.size.height, recipe.size.width, CV_8U, pixels.data());
    if (!cascades.contains(c.cascade))
      cascades.emplace(c.cascade, cascade::read_cascade(test::installed_cascade(c.cascade)));
    const auto scanner =
        std::make_shared<const Scanner>(test::cut(cascades.at(c.cascade), c.stages));
    const WindowFinder finder(scanner, recipe.size, options_of(c),
                              std::numeric_limits<std::size_t>::max());
    if (takes_the_nearest(finder, c)) {
      ++nearest;
      continue;
    }
    WindowFinder::Memory memory;
    const std::vector<Box> windows = finder.find(grey, workers, memory);
    expect_boxes(windows, recipe.size, c.windows);
    if (c.groups) expect_boxes(groups_of(windows), recipe.size, *c.groups);
    ++compared;
  }
  EXPECT_GE(compared, 120U);
  EXPECT_LE(nearest, 8U);
}

}  // namespace
}  // namespace facepipe::detector
