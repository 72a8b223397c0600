// These tests check the paper's windows, the stumps at the scales of the paper, and the plain loop
// whose windows the variants must find.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "experiments/programs/viola_jones/deals.h"
#include "experiments/programs/viola_jones/job.h"
#include "experiments/programs/viola_jones/plain_loop.h"
#include "tests/detector/cascade/files.h"
#include "tests/detector/cascade/pictures.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::viola_jones {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Size kVga{640, 480};
constexpr Size kWindow{20, 20};

TEST(ViolaJonesScales, AreThoseOfThePapersTable2) {
  const std::vector<Scale> scales = paper_scales(kWindow, kVga);
  ASSERT_EQ(scales.size(), 18U);
  struct Row {
    std::size_t launch;
    double factor;
    Size grid;
  };
  for (const Row& row : {Row{1, 1.00, {40, 30}}, Row{2, 1.20, {40, 30}}, Row{3, 1.44, {40, 30}},
                         Row{4, 1.73, {40, 30}}, Row{5, 2.07, {20, 15}}, Row{14, 10.70, {4, 3}},
                         Row{18, 22.19, {1, 1}}}) {
    EXPECT_NEAR(scales[row.launch - 1].factor, row.factor, 0.005);
    EXPECT_EQ(scales[row.launch - 1].blocks, row.grid) << row.launch;
  }
}

TEST(ViolaJonesScales, HaveAllPlacesWithinThePicture) {
  for (const Size picture : {kVga, Size{401, 299}, Size{20, 20}, Size{1920, 1080}})
    for (const Scale& scale : paper_scales(kWindow, picture)) {
      const int right = (scale.places.width - 1) * scale.step + scale.window.width;
      const int bottom = (scale.places.height - 1) * scale.step + scale.window.height;
      EXPECT_LE(right, picture.width);
      EXPECT_GT(right + scale.step, picture.width);
      EXPECT_LE(bottom, picture.height);
      EXPECT_GT(bottom + scale.step, picture.height);
    }
  EXPECT_TRUE(paper_scales(kWindow, {19, 100}).empty());
  const std::vector<Scale> coarse = paper_scales(kWindow, kVga, 2);
  ASSERT_EQ(coarse.size(), 5U);
  EXPECT_EQ(coarse.back().window, (Size{320, 320}));
  EXPECT_THROW((void)paper_scales(kWindow, kVga, 1), std::invalid_argument);
  EXPECT_THROW((void)paper_scales({10, 10}, {41, 41}), std::invalid_argument);
}

TEST(ViolaJonesScales, OfOpenCvAreWholeAndComeOnce) {
  std::vector<double> factors;
  for (const Scale& scale : whole_scales(kWindow, kVga)) factors.push_back(scale.factor);
  EXPECT_THAT(factors, testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22));
}

detector::cascade::Cascade half_passing() {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "half.xml";
  std::ofstream(file) << test::kHalfPassing;
  return detector::cascade::read_cascade(file);
}

TEST(ViolaJonesStumps, StayInTheWindowAndAreZeroWhereItIsFlat) {
  const detector::cascade::Cascade cascade =
      detector::cascade::read_cascade(test::installed_cascade("frontalface_alt"));
  for (const Scale& scale : paper_scales(kWindow, kVga)) {
    const ScaledCascade table = scaled(cascade, scale.factor);
    ASSERT_EQ(table.stumps.size(), 2135U);
    for (const ScaledStump& stump : table.stumps) {
      double flat = 0;
      double largest = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const Edges& rect = stump.rects[i];
        EXPECT_LE(rect.left, rect.right);
        EXPECT_LE(rect.right, scale.window.width);
        EXPECT_LE(rect.bottom, scale.window.height);
        const double area = (rect.right - rect.left) * (rect.bottom - rect.top);
        flat += static_cast<double>(stump.weights[i]) * area;
        largest = std::max(largest, std::abs(static_cast<double>(stump.weights[i])) * area);
      }
      EXPECT_NEAR(flat, 0, 1e-6 * largest);
    }
  }
}

TEST(ViolaJonesStumps, AreTheFilesAtScale1) {
  const detector::cascade::Cascade cascade =
      detector::cascade::read_cascade(test::installed_cascade("frontalface_alt"));
  const ScaledCascade table = scaled(cascade, 1);
  for (std::size_t i = 0; i < table.stumps.size(); ++i) {
    const detector::cascade::Node& node = cascade.nodes[i];
    const detector::cascade::Feature& feature = cascade.features[node.feature];
    for (std::size_t k = 0; k < static_cast<std::size_t>(feature.rect_count); ++k) {
      const detector::cascade::WeightedRect& rect = feature.rects[k];
      const Edges& edges = table.stumps[i].rects[k];
      EXPECT_EQ(edges.left, rect.x);
      EXPECT_EQ(edges.bottom - edges.top, rect.height);
      EXPECT_NEAR(table.stumps[i].weights[k] * 18 * 18, rect.weight, 1e-5);
    }
  }
}

TEST(ViolaJonesStumps, OfTreesAreRefused) {
  EXPECT_THROW(
      (void)scaled(detector::cascade::read_cascade(test::installed_cascade("frontalface_alt2")), 1),
      std::invalid_argument);
}

double mean(const std::vector<std::uint8_t>& pixels, int width, int x, int y, Size size) {
  double sum = 0;
  for (int row = y; row < y + size.height; ++row)
    for (int column = x; column < x + size.width; ++column)
      sum += pixels[static_cast<std::size_t>(row * width + column)];
  return sum / (size.width * size.height);
}

/// The cascade accepts windows whose left half is at least as light as the whole window. The test
/// computes that pixel by pixel.
TEST(PlainLoop, FindsWindowsWhoseLeftHalfIsLighter) {
  const detector::cascade::Cascade cascade = half_passing();
  constexpr Size kPicture{97, 61};
  const std::vector<std::uint8_t> pixels = test::make_picture({kPicture, 7, 0});
  const std::vector<Scale> scales = paper_scales(cascade.window, kPicture);
  const std::vector<ScaleResult> results = scan({pixels, kPicture}, cascade, scales);
  ASSERT_EQ(results.size(), scales.size());
  ASSERT_GE(scales.size(), 5U);
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const Scale& scale = scales[i];
    const Size half{static_cast<int>(std::lround(12 * scale.factor)), scale.window.height};
    const auto& windows = results[i].windows;
    std::size_t expected = 0;
    for (int row = 0; row < scale.places.height; ++row)
      for (int column = 0; column < scale.places.width; ++column) {
        const int x = column * scale.step;
        const int y = row * scale.step;
        const double lighter = mean(pixels, kPicture.width, x, y, half) -
                               mean(pixels, kPicture.width, x, y, scale.window);
        const FoundWindow window{static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(x),
                                 static_cast<std::uint16_t>(y)};
        const bool found = std::find(windows.begin(), windows.end(), window) != windows.end();
        expected += found;
        if (std::abs(lighter) > 1e-4) {
          EXPECT_EQ(found, lighter > 0) << i << " " << x << " " << y;
        }
      }
    EXPECT_EQ(windows.size(), expected);
    const auto places = static_cast<std::size_t>(scale.places.width * scale.places.height);
    EXPECT_EQ(results[i].stumps, places);
    EXPECT_THAT(results[i].survivors, testing::ElementsAre(windows.size()));
  }
}

TEST(PlainLoop, ComparesWithTheWindowsDeviation) {
  detector::cascade::Cascade cascade = half_passing();
  // The left half is 110 and the right half is 90, so the deviation is 10 and the value is (110 -
  // 90) / 2 * 24 * 24 / (22 * 22).
  std::vector<std::uint8_t> pixels;
  for (int i = 0; i < 24 * 24; ++i) pixels.push_back(i % 24 < 12 ? 110 : 90);
  const SummedPicture picture(pixels, {24, 24});
  const Scale scale = paper_scales({24, 24}, {24, 24}).front();
  for (const auto& [threshold, passes] : {std::pair{1.18F, true}, std::pair{1.20F, false}}) {
    cascade.nodes[0].threshold = threshold;
    EXPECT_EQ(scan_scale(picture, scaled(cascade, 1), scale, 0).windows.size(), passes ? 1U : 0U);
  }
}

std::vector<Scale> vga_scales() { return paper_scales(kWindow, kVga); }

/// Expects that the deal contains each row of blocks of each scale exactly once.
void expect_all_dealt(const Deal& deal, const std::vector<Scale>& scales) {
  std::vector<std::vector<int>> times(scales.size());
  for (std::size_t i = 0; i < scales.size(); ++i)
    times[i].resize(static_cast<std::size_t>(scales[i].blocks.height));
  for (const std::vector<Part>& parts : deal)
    for (const Part& part : parts)
      for (int row = 0; row < part.block_rows; ++row)
        ++times[static_cast<std::size_t>(part.scale)]
               [static_cast<std::size_t>(part.first_block_row + row)];
  for (const std::vector<int>& rows : times) EXPECT_THAT(rows, testing::Each(1));
}

TEST(ViolaJonesDeals, GiveTheLargestFirstToWhoHasLeast) {
  std::vector<Scale> scales = vga_scales();
  scales.resize(5);
  const Deal deal = deal_scales(scales, {3, 9, 4, 5, 1}, 2);
  EXPECT_THAT(work_of(deal, {3, 9, 4, 5, 1}), testing::ElementsAre(12, 10));
}

TEST(ViolaJonesDeals, HaveEachRowOnce) {
  const std::vector<Scale> scales = vga_scales();
  std::vector<double> work;
  for (const Scale& scale : scales) work.push_back(scale.places.width * scale.places.height);
  for (const std::size_t devices : {1U, 2U, 3U, 5U, 6U}) {
    expect_all_dealt(deal_scales(scales, work, devices), scales);
    const Deal bands = deal_bands(scales, devices);
    expect_all_dealt(bands, scales);
    // The first scale has 30 rows of blocks. Each device gets the same number of these rows.
    for (const std::vector<Part>& parts : bands)
      EXPECT_EQ(parts.front().block_rows, 30 / static_cast<int>(devices));
  }
}

TEST(ViolaJonesCommand, NamesMultiprocessorsOnADeviceAlone) {
  const std::vector<std::string> words{"run", "a.xml", "640x480", "one", "--multiprocessors", "16"};
  EXPECT_THAT(parse_command(words, {"run"}, RunsOn::device).parts, testing::ElementsAre(16));
  EXPECT_THROW((void)parse_command(words, {"run"}), std::exception);
  EXPECT_TRUE(parse_command({"run", "a.xml", "640x480"}, {"run"}, RunsOn::device).parts.empty());
}

TEST(ViolaJonesCommand, IsReadOrRefusedInOneLine) {
  const Command command =
      parse_command({"run", "a.xml", "640x480", "one", "two", "--replays", "7"}, {"run", "work"});
  EXPECT_EQ(command.verb, "run");
  EXPECT_EQ(command.cascade, "a.xml");
  EXPECT_EQ(command.size, kVga);
  EXPECT_THAT(command.pictures, testing::ElementsAre("one", "two"));
  EXPECT_EQ(command.replays, 7);
  struct Refused {
    std::vector<std::string> words;
    const char* says;
  };
  for (const Refused& refused :
       {Refused{{}, "subcommand is required"}, Refused{{"walk"}, "subcommand is required"},
        Refused{{"run", "a.xml"}, "SIZE is required"},
        Refused{{"run", "a.xml", "640"}, "no size: 640"},
        Refused{{"run", "a.xml", "6x4", "p", "--replays", "0"}, "not in range"}}) {
    try {
      (void)parse_command(refused.words, {"run", "work"});
      ADD_FAILURE() << "not refused: " << refused.says;
    } catch (const std::exception& refusal) {
      EXPECT_THAT(refusal.what(), HasSubstr(refused.says));
      EXPECT_THAT(refusal.what(), Not(HasSubstr("\n")));
    }
  }
}

}  // namespace
}  // namespace facepipe::viola_jones
