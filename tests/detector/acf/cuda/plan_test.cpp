// These tests read the tables that the host makes of a model, in the way in which the kernels read
// them. They need no device.
#include "detector/acf/cuda/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "tests/detector/acf/models.h"
#include "tests/support/expect_error.h"

namespace facepipe::detector {
namespace {

using acf::AcfTables;
using acf::DeviceScale;
using acf::Model;
using acf::Part;

constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};
constexpr std::int64_t kManyCells = 1'000'000;
constexpr std::size_t kShared = 22'000;

AcfTables tables_of(const Model& model, Size picture, const acf::SizeLimits& limits = {},
                    std::int64_t batch_cells = kManyCells, std::size_t shared = kShared) {
  return acf::make_acf_tables(model, {picture, kNv12, {}}, limits, 0, batch_cells, shared);
}

/// Expects that the parts cover the area `all` of this scale exactly once. Each part has at most
/// the size `part` and begins within the area.
void expect_cover(const std::vector<Part>& parts, int scale, Size all, Size part) {
  std::set<std::tuple<int, int>> seen;
  for (const Part& one : parts) {
    if (one.scale != scale) continue;
    EXPECT_LT(one.column, all.width);
    EXPECT_LT(one.row, all.height);
    EXPECT_EQ(one.column % part.width, 0);
    EXPECT_EQ(one.row % part.height, 0);
    EXPECT_TRUE(seen.emplace(one.column, one.row).second) << "twice";
  }
  const auto along = [](int length, int step) { return (length + step - 1) / step; };
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(along(all.width, part.width) *
                                                  along(all.height, part.height)));
}

TEST(CudaAcfPlan, CutsAllScalesIntoParts) {
  for (const Size picture : {Size{640, 480}, {97, 121}, {1366, 768}}) {
    const AcfTables tables = tables_of(test::small_model(3, 1), picture, {12, 0});
    for (std::size_t i = 0; i < tables.real.size(); ++i)
      expect_cover(tables.real_parts, static_cast<int>(i), tables.real[i].cells, acf::kRealTile);
    std::uint32_t places = 0;
    for (std::size_t i = 0; i < tables.scales.size(); ++i) {
      const acf::Scale& scale = tables.scales[i].scale;
      expect_cover(tables.strips, static_cast<int>(i), scale.cells, acf::kStrip);
      expect_cover(tables.tiles, static_cast<int>(i), scale.places,
                   {acf::kScanColumns, tables.plan.classifier.scan.rows});
      EXPECT_EQ(tables.scales[i].first_place, places);
      places += static_cast<std::uint32_t>(scale.places.width * scale.places.height);
    }
    EXPECT_EQ(tables.plan.pyramid.real_tiles, static_cast<int>(tables.real_parts.size()));
  }
}

TEST(CudaAcfPlan, LaysScalesOfABatchBesideEachOther) {
  for (const std::int64_t batch_cells : {std::int64_t{1}, std::int64_t{30'000}, kManyCells}) {
    const AcfTables tables = tables_of(test::small_model(3, 1), {640, 360}, {}, batch_cells);
    int next_scale = 0;
    for (const acf::BatchPlan& batch : tables.batches) {
      EXPECT_EQ(batch.first_scale, next_scale);
      next_scale += batch.scales;
      std::vector<int> owners(static_cast<std::size_t>(tables.plan.pyramid.plane), -1);
      std::int64_t cells = 0;
      for (int i = batch.first_scale; i < next_scale; ++i) {
        const DeviceScale& scale = tables.scales[static_cast<std::size_t>(i)];
        EXPECT_EQ(scale.first_cell % 32, 0) << "copied 16 bytes at a time";
        cells += std::int64_t{scale.scale.padded.width} * scale.scale.padded.height;
        for (int y = 0; y < scale.scale.padded.height; ++y)
          for (int x = 0; x < scale.scale.padded.width; ++x) {
            int& owner = owners.at(
                static_cast<std::size_t>(scale.first_cell + y * tables.plan.pyramid.stride + x));
            ASSERT_EQ(owner, -1);
            owner = i;
          }
      }
      EXPECT_TRUE(cells <= batch_cells || batch.scales == 1);
    }
    EXPECT_EQ(next_scale, static_cast<int>(tables.scales.size()));
    EXPECT_EQ(tables.batches.size() == 1, batch_cells == kManyCells);
  }
}

TEST(CudaAcfPlan, ReadsEachTreesFeaturesWhereTheyAre) {
  const Model model = test::small_model(300, 7);
  const Size window = model.window_cells();
  for (const std::size_t shared : {std::size_t{0}, kShared}) {
    const AcfTables tables = tables_of(model, {640, 360}, {}, kManyCells, shared);
    const acf::ScanLayout& scan = tables.plan.classifier.scan;
    EXPECT_EQ(scan.in_shared, shared > 0 ? 1 : 0);
    EXPECT_EQ(scan.stride % 4, 0) << "copied 16 bytes at a time";
    EXPECT_EQ(tables.trees.size() % acf::kWarpTrees, 0U);
    for (std::size_t i = 0; i < model.trees.size(); ++i)
      for (std::size_t node = 0; node < 3; ++node) {
        const auto feature = static_cast<int>(model.trees[i].features[node]);
        const std::int64_t channel = feature / (window.width * window.height);
        const std::int64_t column = feature / window.height % window.width;
        const std::int64_t row = feature % window.height;
        EXPECT_EQ(tables.trees[i].offsets[node],
                  4 * (channel * scan.plane + row * scan.stride + column));
        EXPECT_EQ(tables.trees[i].thresholds[node], model.trees[i].thresholds[node]);
      }
  }
}

TEST(CudaAcfPlan, HasTheSameTreesByLanes) {
  const Model model = test::small_model(300, 7);
  const AcfTables tables = tables_of(model, {640, 360});
  ASSERT_EQ(tables.warp_trees.size(), tables.trees.size());
  for (std::size_t i = 0; i < model.trees.size(); ++i) {
    const std::size_t block = i / 128 * 128;
    const std::size_t lane = (i - block) / 4;
    const std::size_t step = (i - block) % 4;
    const acf::DeviceTree& tree = tables.warp_trees[block + step * 32 + lane];
    EXPECT_TRUE(std::ranges::equal(tree.offsets, tables.trees[i].offsets));
    EXPECT_TRUE(std::ranges::equal(tree.leaves, model.trees[i].leaves));
  }
}

TEST(CudaAcfPlan, KeepsToTheSharedMemoryThatThereIs) {
  const Model model = test::small_model(3, 1);
  int last_rows = acf::kMostScanRows + 1;
  for (const std::size_t shared : {60'000U, 14'000U, 10'000U, 7'000U}) {
    const acf::ScanLayout scan =
        tables_of(model, {640, 360}, {}, kManyCells, shared).plan.classifier.scan;
    ASSERT_EQ(scan.in_shared, 1);
    EXPECT_LE(scan.plane * acf::kChannels + 2 * acf::kScanColumns * scan.rows,
              static_cast<std::int64_t>(shared));
    EXPECT_GE(scan.stride, acf::kScanColumns + model.window_cells().width - 1);
    EXPECT_EQ(scan.plane, scan.stride * (scan.rows + model.window_cells().height - 1));
    EXPECT_LT(scan.rows, last_rows);
    last_rows = scan.rows;
  }
  EXPECT_EQ(tables_of(model, {640, 360}, {}, kManyCells, 3'000).plan.classifier.scan.in_shared, 0);
}

/// Returns the weighted sum that the device computes for one output sample, if each input sample
/// equals its index.
double mean_of(const AcfTables& tables, const acf::DeviceTaps& taps, int sample) {
  double sum = 0;
  for (int k = 0; k < taps.count; ++k) {
    const auto at = static_cast<std::size_t>(taps.first + k * taps.length + sample);
    sum += static_cast<double>(tables.tap_weight.at(at)) * tables.tap_index.at(at);
  }
  return sum;
}

TEST(CudaAcfPlan, FillsTapsUpWithoutChangingThem) {
  const AcfTables tables = tables_of(test::small_model(3, 1), {640, 360}, {12, 0});
  for (const DeviceScale& scale : tables.scales) {
    if (scale.scale.real) {
      EXPECT_EQ(scale.across.count, 0);
      continue;
    }
    EXPECT_TRUE(scale.across.count == 2 || scale.across.count == acf::kMostCellTaps);
    EXPECT_EQ(scale.across.count, scale.down.count);
    const Size from = tables.real[static_cast<std::size_t>(scale.real)].cells;
    const acf::Taps taps = acf::make_taps(from.width, scale.scale.cells.width);
    ASSERT_EQ(scale.across.length, taps.length);
    for (int i = 0; i < taps.length; ++i) {
      double expected = 0;
      for (int k = 0; k < taps.count; ++k) {
        const auto at = static_cast<std::size_t>(k * taps.length + i);
        expected += static_cast<double>(taps.weight[at]) * taps.index[at];
      }
      EXPECT_EQ(mean_of(tables, scale.across, i), expected);
    }
  }
}

// plan() must accept all sizes of pictures: no scale may need more than kMostCellTaps taps.
TEST(CudaAcfPlan, KnowsAllPictures) {
  const Model model = test::small_model(1, 1);
  for (int width = 20; width < 300; width += 7)
    for (int height = 26; height < 300; height += 9)
      for (const double least : {0.0, 10.0, 5.0})
        EXPECT_FALSE(tables_of(model, {width, height}, {least, 0}).scales.empty());
}

TEST(CudaAcfPlan, ResizesFirstWhatTilesCannot) {
  const AcfTables tables = tables_of(test::small_model(3, 1), {1920, 1080}, {12, 0});
  std::set<acf::TileSource> sources;
  std::size_t rows = 0;
  for (const acf::DeviceReal& real : tables.real) {
    sources.insert(real.source);
    if (real.source == acf::TileSource::resized) {
      EXPECT_GT(std::max(real.across.count, real.down.count), acf::kMostTileTaps);
      rows += static_cast<std::size_t>(acf::kShrink * real.cells.height);
      EXPECT_LE(acf::kShrink * real.cells.width, tables.plan.pyramid.resized_width);
    }
    if (real.source == acf::TileSource::tile_taps) {
      EXPECT_EQ(real.across.count, acf::kMostTileTaps);
      EXPECT_EQ(real.down.count, acf::kMostTileTaps);
    }
  }
  EXPECT_EQ(sources.size(), 3U) << "or the case tells nothing";
  EXPECT_EQ(tables.resized_rows.size(), rows);
}

TEST(CudaAcfPlan, HasNothingForAPictureSmallerThanTheObject) {
  const AcfTables tables = tables_of(test::small_model(3, 1), {18, 200});
  EXPECT_TRUE(tables.batches.empty());
  EXPECT_EQ(tables.plan.pyramid.real_tiles, 0);
}

TEST(CudaAcfPlan, RefusesAPictureThatIsEnlargedTooMuch) {
  test::expect_error(ErrorKind::device, "the enlarged picture would be too large", [] {
    (void)tables_of(test::small_model(3, 1), {32768, 32768}, {5, 0});
  });
}

}  // namespace
}  // namespace facepipe::detector
