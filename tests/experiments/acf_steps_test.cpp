// These tests run the steps of bench_acf_variants' kernels for a pixel, a cell and a window on the
// host. They need no device.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <stdexcept>
#include <vector>

#include "core/frame.h"
#include "detector/acf/cpu/bands.h"
#include "detector/acf/cpu/rows.h"
#include "detector/acf/cuda/plan.h"
#include "experiments/programs/acf_variants/coarse.h"
#include "experiments/programs/acf_variants/feature_steps.h"
#include "experiments/programs/acf_variants/trees.h"
#include "tests/detector/acf/models.h"
#include "tests/detector/acf/oracle_windows.h"
#include "tests/experiments/coarse_oracle.h"

namespace facepipe::acf_variants {
namespace {

constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};

// --- Windows -------------------------------------------------------------------------------------

/// Returns a plan for windows whose cells are read from global memory.
detector::acf::AcfTables tables_of(const detector::acf::Model& model, Size picture) {
  return detector::acf::make_acf_tables(model, {picture, kNv12, {}}, {},
                                        detector::acf::least_sum_above(model, 0),
                                        std::int64_t{1} << 26, 0);
}

/// Returns the cells of all scales as they lie on the device. They are multiples of 1/64, which
/// often equal thresholds.
std::vector<float> random_cells(const detector::acf::AcfTables& tables, unsigned seed) {
  std::mt19937 bits(seed);
  std::vector<float> cells(
      static_cast<std::size_t>(tables.plan.pyramid.plane * detector::acf::kChannels));
  for (float& cell : cells) cell = static_cast<float>(bits() % 40) / 64;
  return cells;
}

TEST(AcfCoarse, LeavesTheFineWindowsOfCoarseOnesThatPass) {
  std::mt19937 bits(3);
  std::size_t fewer = 0;
  for (const Size size : {Size{8, 10}, Size{9, 11}, Size{31, 24}, Size{48, 41}, Size{7, 40}})
    for (const std::size_t trees : {1U, 7U, 60U, 160U}) {
      const auto [fine, coarse] = test::fine_and_coarse(trees, static_cast<unsigned>(trees));
      std::vector<float> cells(static_cast<std::size_t>(detector::acf::kChannels) *
                               static_cast<std::size_t>(size.width * size.height));
      for (float& cell : cells) cell = static_cast<float>(bits() % 40) / 64;
      const auto cell = [&, size = size](int channel, int x, int y) {
        return cells[static_cast<std::size_t>((channel * size.height + y) * size.width + x)];
      };
      const std::int64_t area = std::int64_t{size.width} * size.height;
      CoarseFineSearch search(fine, coarse, size.width, area);
      const ScaleCells planes{cells.data(), size, size.width, area};
      const auto expect_same = [&](const std::vector<PassedWindow>& found,
                                   const std::vector<test::OracleWindow>& expected) {
        EXPECT_EQ(found, test::passed_windows(expected))
            << to_string(size) << ", " << trees << " trees";
      };
      const auto both = search.search(planes);
      const auto alone = search.search_fine(planes);
      expect_same(both, test::oracle_coarse_fine(fine, coarse, size, cell));
      expect_same(alone, test::oracle_windows(fine, size, cell));
      EXPECT_GE(search.left(), both.size());
      if (!both.empty() && both.size() < alone.size()) ++fewer;
    }
  EXPECT_GT(fewer, 3U) << "or the cases tell nothing";
}

TEST(AcfCoarse, TakesWindowsOfHalfTheSizeAlone) {
  const auto [fine, coarse] = test::fine_and_coarse(1, 1);
  EXPECT_NO_THROW(expect_halves(fine, coarse));
  EXPECT_THROW(expect_halves(fine, fine), std::invalid_argument);
  EXPECT_THROW(expect_halves(test::small_model(1, 1), coarse), std::invalid_argument);
}

/// Returns the windows of a scale that no tree rejects, with their indices among all windows.
std::vector<detector::acf::SummedPlace> expected_of(const detector::acf::Model& model,
                                                    const detector::acf::AcfTables& tables,
                                                    const detector::acf::DeviceScale& scale,
                                                    const std::vector<float>& cells) {
  const auto cell = [&](int channel, int x, int y) {
    return cells[static_cast<std::size_t>(channel * tables.plan.pyramid.plane + scale.first_cell +
                                          std::int64_t{y} * tables.plan.pyramid.stride + x)];
  };
  std::vector<detector::acf::SummedPlace> found;
  for (const test::OracleWindow& window : test::oracle_windows(model, scale.scale.padded, cell))
    found.push_back({scale.first_place + static_cast<std::uint32_t>(
                                             window.row * scale.scale.places.width + window.column),
                     window.sum});
  return found;
}

std::vector<detector::acf::SummedPlace> expected_of_all(const detector::acf::Model& model,
                                                        const detector::acf::AcfTables& tables,
                                                        const std::vector<float>& cells) {
  std::vector<detector::acf::SummedPlace> all;
  for (const detector::acf::DeviceScale& scale : tables.scales)
    std::ranges::copy(expected_of(model, tables, scale, cells), std::back_inserter(all));
  return all;
}

/// Returns all windows for which `passes(window, sum)` returns true. It sets the sum.
template <class Passes>
std::vector<detector::acf::SummedPlace> found_by(const detector::acf::AcfTables& tables,
                                                 const std::vector<float>& cells,
                                                 const Passes& passes) {
  std::vector<detector::acf::SummedPlace> found;
  const detector::acf::Scale& last = tables.scales.back().scale;
  const std::uint32_t windows = tables.scales.back().first_place +
                                static_cast<std::uint32_t>(last.places.width * last.places.height);
  for (std::uint32_t place = 0; place < windows; ++place) {
    const WindowPlace at =
        window_of(tables.scales.data(), static_cast<int>(tables.scales.size()), place);
    const detector::acf::DeviceScale& scale = tables.scales[static_cast<std::size_t>(at.scale)];
    const float* const window = cells.data() + scale.first_cell +
                                std::int64_t{at.at.y} * tables.plan.pyramid.stride + at.at.x;
    std::int32_t sum = 0;
    if (passes(window, sum)) found.push_back({place, sum});
  }
  return found;
}

TEST(AcfVariantTrees, WalkFindsTheOraclesWindows) {
  const detector::acf::Model model = test::small_model(160, 5);
  const detector::acf::AcfTables tables = tables_of(model, {131, 97});
  const std::vector<float> cells = random_cells(tables, 1);
  const std::vector<detector::acf::SummedPlace> expected = expected_of_all(model, tables, cells);
  EXPECT_GT(expected.size(), 10U) << "or the case tells nothing";
  EXPECT_EQ(found_by(tables, cells,
                     [&](const float* window, std::int32_t& sum) {
                       return walk(tables.trees.data(), 0, tables.plan.classifier.tree_count,
                                   model.threshold, window, sum);
                     }),
            expected);
}

/// Evaluates trees like a block: first `first` trees one by one, then groups of `size` trees. A
/// group is combined from single trees, so that neighbours stay together.
bool passes_in_groups(const detector::acf::AcfTables& tables, int first, int size, Exit exit,
                      const float* window, std::int32_t& sum) {
  const int count = tables.plan.classifier.tree_count;
  if (!walk(tables.trees.data(), 0, first, tables.plan.classifier.threshold, window, sum))
    return false;
  for (int begin = first; begin < count; begin += size) {
    std::vector<Group> groups(static_cast<std::size_t>(size));
    for (int i = begin; i < std::min(begin + size, count); ++i) {
      Group& group = groups[static_cast<std::size_t>(i - begin)];
      group.sum = group.least = leaf_of(tables.trees[static_cast<std::size_t>(i)], window);
    }
    for (; groups.size() > 1; groups.resize(groups.size() / 2))
      for (std::size_t i = 0; i < groups.size() / 2; ++i)
        groups[i] = followed_by(groups[2 * i], groups[2 * i + 1]);
    const Group& all = groups.front();
    const std::int32_t least = sum + (exit == Exit::as_one_by_one ? all.least : all.sum);
    sum += all.sum;
    if (least <= tables.plan.classifier.threshold) return false;
  }
  return true;
}

TEST(AcfVariantTrees, GroupsDecideAsTreesOneByOne) {
  for (const std::size_t count : {1U, 7U, 128U, 160U, 300U}) {
    const detector::acf::Model model = test::small_model(count, 5);
    const detector::acf::AcfTables tables = tables_of(model, {90, 71});
    const std::vector<float> cells = random_cells(tables, 2);
    const std::vector<detector::acf::SummedPlace> expected = expected_of_all(model, tables, cells);
    for (const int first : {0, 1, 5})
      for (const int size : {1, 4, 128}) {
        if (first > static_cast<int>(count)) continue;
        EXPECT_EQ(found_by(tables, cells,
                           [&](const float* window, std::int32_t& sum) {
                             return passes_in_groups(tables, first, size, Exit::as_one_by_one,
                                                     window, sum);
                           }),
                  expected)
            << count << " trees, " << first << " first, groups of " << size;
      }
  }
}

// The two rules differ for the leaves -2, +5 and the threshold -1.
TEST(AcfVariantTrees, WholeGroupsLetPassWhatRecovers) {
  detector::acf::Model model = test::small_model(2, 5);
  model.trees[0].leaves.fill(-2 * detector::acf::kUnit);
  model.trees[1].leaves.fill(5 * detector::acf::kUnit);
  const detector::acf::AcfTables tables = tables_of(model, {60, 60});
  const std::vector<float> cells = random_cells(tables, 3);
  std::int32_t sum = 0;
  EXPECT_FALSE(passes_in_groups(tables, 0, 2, Exit::as_one_by_one, cells.data(), sum));
  sum = 0;
  EXPECT_TRUE(passes_in_groups(tables, 0, 2, Exit::of_whole_groups, cells.data(), sum));
  EXPECT_EQ(sum, 3 * detector::acf::kUnit);
}

TEST(AcfVariantTrees, EachNumberIsAWindowOfItsScale) {
  const detector::acf::AcfTables tables = tables_of(test::small_model(1, 5), {131, 97});
  std::uint32_t place = 0;
  for (std::size_t i = 0; i < tables.scales.size(); ++i) {
    const Size places = tables.scales[i].scale.places;
    for (int y = 0; y < places.height; ++y)
      for (int x = 0; x < places.width; ++x, ++place) {
        const WindowPlace found =
            window_of(tables.scales.data(), static_cast<int>(tables.scales.size()), place);
        ASSERT_EQ(found.scale, static_cast<int>(i));
        ASSERT_EQ(found.at.x, x);
        ASSERT_EQ(found.at.y, y);
      }
  }
}

// --- Features ------------------------------------------------------------------------------------

constexpr Size kPicture{52, 44};
constexpr Size kCells{kPicture.width / 4, kPicture.height / 4};
constexpr std::size_t kSamples = std::size_t{kPicture.width} * kPicture.height;

std::vector<std::uint8_t> random_nv12(unsigned seed) {
  std::mt19937 bits(seed);
  std::vector<std::uint8_t> bytes(kSamples * 3 / 2);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(bits());
  return bytes;
}

Nv12 picture_of(const std::vector<std::uint8_t>& bytes) {
  Nv12 picture{bytes.data(), kPicture, {}};
  fill_to_rgb(picture.to_rgb, ColorInfo{}, PixelFormat{}, kPicture);
  return picture;
}

/// Returns LUV as the detector makes it on the CPU, row by row.
detector::acf::Planes luv_on_cpu(const Nv12& picture) {
  detector::acf::Planes luv;
  luv.resize(kPicture, detector::acf::kColors);
  const auto width = static_cast<std::size_t>(kPicture.width);
  for (int y = 0; y < kPicture.height; ++y) {
    const std::uint8_t* const chroma = picture.bytes + (kPicture.height + y / 2) * kPicture.width;
    std::vector<std::uint8_t> u(width);
    std::vector<std::uint8_t> v(width);
    for (std::size_t x = 0; x < width; ++x) {
      u[x] = chroma[x / 2 * 2];
      v[x] = chroma[x / 2 * 2 + 1];
    }
    std::vector<std::uint8_t> rgb(4 * width);
    detector::acf::to_rgb_row({picture.bytes + y * kPicture.width, u.data(), v.data()},
                              picture.to_rgb, kPicture.width, rgb.data());
    detector::acf::to_luv_row(rgb.data(), kPicture.width, detector::acf::lightness_table().data(),
                              luv.row(0, y), luv.row(1, y), luv.row(2, y));
  }
  return luv;
}

/// Runs all steps one after the other, as the kernels do.
std::vector<float> channels_by_steps(const Nv12& picture) {
  std::vector<float> luv(3 * kSamples);
  std::vector<float> smooth(4 * kSamples);
  std::vector<float> magnitude(kSamples);
  std::vector<float> orientation(kSamples);
  std::vector<float> sums(kSamples);
  const auto each_pixel = [](const auto& step) {
    for (int y = 0; y < kPicture.height; ++y)
      for (int x = 0; x < kPicture.width; ++x)
        step(x, y, static_cast<std::size_t>(y) * kPicture.width + static_cast<std::size_t>(x));
  };
  each_pixel([&](int x, int y, std::size_t i) {
    const detector::acf::Luv color = luv_at(picture, detector::acf::lightness_table().data(), x, y);
    luv[i] = color.l;
    luv[kSamples + i] = color.u;
    luv[2 * kSamples + i] = color.v;
  });
  each_pixel([&](int x, int y, std::size_t i) {
    for (int c = 0; c < 3; ++c)
      smooth[static_cast<std::size_t>(c) * kSamples + i] =
          smoothed_at(plane_of(luv.data(), kPicture, c), x, y);
  });
  each_pixel([&](int x, int y, std::size_t i) {
    const Gradient gradient = gradient_at(smooth.data(), kPicture, x, y);
    magnitude[i] = gradient.magnitude;
    orientation[i] = gradient.orientation;
  });
  each_pixel([&](int x, int y, std::size_t i) {
    sums[i] = sum_down_at({magnitude.data(), kPicture}, x, y);
  });
  each_pixel([&](int x, int y, std::size_t i) {
    smooth[3 * kSamples + i] =
        normalized_at({magnitude.data(), kPicture}, {sums.data(), kPicture}, x, y);
  });
  const std::size_t plane = kSamples / 16;
  std::vector<float> channels(detector::acf::kChannels * plane);
  for (int y = 0; y < kCells.height; ++y)
    for (int x = 0; x < kCells.width; ++x) {
      const std::size_t at =
          static_cast<std::size_t>(y) * kCells.width + static_cast<std::size_t>(x);
      for (int c = 0; c < 4; ++c)
        channels[static_cast<std::size_t>(c) * plane + at] =
            mean_of_cell(plane_of(smooth.data(), kPicture, c), x, y);
      float bins[detector::acf::kOrientations] = {};
      add_to_bins(plane_of(smooth.data(), kPicture, 3), {orientation.data(), kPicture}, x, y, bins);
      for (std::size_t bin = 0; bin < detector::acf::kOrientations; ++bin)
        channels[(4 + bin) * plane + at] = bins[bin] / 16;
    }
  return channels;
}

// Sums in another order differ in their last bits.
TEST(AcfFeatureSteps, MakeTheDetectorsChannels) {
  const std::vector<std::uint8_t> bytes = random_nv12(7);
  const Nv12 picture = picture_of(bytes);
  const detector::acf::Planes luv = luv_on_cpu(picture);
  detector::acf::Planes expected;
  expected.resize(kCells, detector::acf::kChannels);
  detector::acf::BandMemory memory;
  detector::acf::make_real_band({&luv, nullptr, nullptr}, kCells, 0, kCells.height, memory,
                                expected);
  const std::vector<float> found = channels_by_steps(picture);
  double most = 0;
  for (int c = 0; c < detector::acf::kChannels; ++c)
    for (int y = 0; y < kCells.height; ++y)
      for (int x = 0; x < kCells.width; ++x) {
        const float here =
            found[static_cast<std::size_t>((c * kCells.height + y) * kCells.width + x)];
        const float there = expected.row(c, y)[x];
        ASSERT_NEAR(here, there, 1e-5) << "channel " << c << " at " << x << ", " << y;
        most = std::max(most, static_cast<double>(there));
      }
  EXPECT_GT(most, 0.5) << "or the case tells nothing";
}

}  // namespace
}  // namespace facepipe::acf_variants
