#include "detector/acf/cuda/plan.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "core/error.h"

namespace facepipe::detector::acf {
namespace {

/// Rows of cells begin at multiples of this number of samples, which is 128 bytes.
constexpr int kRowSamples = 32;

int rounded_up(int value, int to) { return (value + to - 1) / to * to; }

/// Adds taps of weight 0 until each sample has at least `least` taps. Empty taps stay empty.
Taps with_taps(Taps taps, int least) {
  if (taps.length == 0) return taps;
  for (; taps.count < least; ++taps.count) {
    const std::vector<std::int32_t> last(taps.index.end() - taps.length, taps.index.end());
    taps.index.insert(taps.index.end(), last.begin(), last.end());
    taps.weight.resize(taps.weight.size() + static_cast<std::size_t>(taps.length));
  }
  return taps;
}

DeviceTaps append(const Taps& taps, AcfTables& to) {
  const DeviceTaps appended{static_cast<std::int32_t>(to.tap_index.size()), taps.length,
                            taps.count};
  to.tap_index.insert(to.tap_index.end(), taps.index.begin(), taps.index.end());
  to.tap_weight.insert(to.tap_weight.end(), taps.weight.begin(), taps.weight.end());
  return appended;
}

void append_parts(int scale, Size all, Size part, std::vector<Part>& to) {
  for (int row = 0; row < all.height; row += part.height)
    for (int column = 0; column < all.width; column += part.width)
      to.push_back({scale, column, row});
}

void add_picture(const StreamLayout& layout, AcfPlan& plan) {
  constexpr int kBits = 8;
  plan.picture.stored = layout.stored;
  plan.picture.upright = upright_size(layout.stored, layout.orientation);
  plan.picture.orientation = layout.orientation;
  plan.picture.wide = layout.format.bytes_per_sample() == 2 ? 1 : 0;
  plan.picture.to_byte =
      1.0F / static_cast<float>(1 << (layout.format.bits + layout.format.shift - kBits));
}

/// Adds a real scale's rows to the rows that a kernel resizes before tiles are made.
void add_rows(int number, DeviceReal& real, AcfTables& to) {
  const Size size = pixels_of(real.cells);
  real.resized = to.resized_samples;
  to.resized_samples += std::int64_t{size.width} * size.height * kColors;
  for (int row = 0; row < size.height; ++row) to.resized_rows.push_back({number, 0, row});
  to.plan.pyramid.resized_row_count = static_cast<std::int32_t>(to.resized_rows.size());
  to.plan.pyramid.resized_width = std::max(to.plan.pyramid.resized_width, size.width);
}

void add_real(const std::vector<Scale>& scales, const Sources& sources, AcfTables& to) {
  to.plan.picture.half = sources.half;
  to.plan.picture.half_across = append(sources.to_half.across, to);
  to.plan.picture.half_down = append(sources.to_half.down, to);
  for (std::size_t i = 0; i < sources.real.size(); ++i) {
    DeviceReal real;
    real.cells = scales[sources.real[i]].cells;
    real.of_half = sources.of_half[i] ? 1 : 0;
    const auto& [across, down] = sources.from_picture[i];
    const int taps = std::max(across.count, down.count);
    real.across = append(with_taps(across, kMostTileTaps), to);
    real.down = append(with_taps(down, kMostTileTaps), to);
    if (taps > 0) real.source = taps > kMostTileTaps ? TileSource::resized : TileSource::tile_taps;
    if (real.source == TileSource::resized) add_rows(static_cast<int>(i), real, to);
    real.first = to.real_samples;
    to.real_samples += std::int64_t{real.cells.width} * real.cells.height * kChannels;
    append_parts(static_cast<int>(i), real.cells, kRealTile, to.real_parts);
    to.real.push_back(real);
  }
  to.plan.pyramid.real_tiles = static_cast<std::int32_t>(to.real_parts.size());
}

/// Places scales side by side in planes of one stride. A row of scales is a shelf. A shelf is as
/// high as its first scale.
class Shelves {
 public:
  explicit Shelves(int stride) : stride_(stride) {}

  /// Returns the index of the scale's first cell.
  std::int64_t place(Size cells) {
    const int width = rounded_up(cells.width, kRowSamples);
    if (x_ + width > stride_ || cells.height > height_) {
      y_ += height_;
      x_ = 0;
      height_ = cells.height;
    }
    const std::int64_t at = y_ * stride_ + x_;
    x_ += width;
    return at;
  }
  [[nodiscard]] std::int64_t samples() const { return (y_ + height_) * stride_; }

 private:
  int stride_;
  int x_ = 0;
  std::int64_t y_ = 0;
  int height_ = 0;
};

std::int64_t area(Size size) { return std::int64_t{size.width} * size.height; }

/// Divides the scales into batches, and lists the parts that blocks and warps work on.
void add_scales(const std::vector<Scale>& scales, const Sources& sources, std::int64_t batch_cells,
                AcfTables& to) {
  AcfPlan& plan = to.plan;
  for (const Scale& scale : scales)
    if (scale.wanted)
      plan.pyramid.stride =
          std::max(plan.pyramid.stride, rounded_up(scale.padded.width, kRowSamples));
  Shelves shelves(plan.pyramid.stride);
  std::int64_t left = 0;
  std::int64_t places = 0;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const Scale& scale = scales[i];
    if (!scale.wanted) continue;
    if (to.batches.empty() || area(scale.padded) > left) {
      to.batches.push_back({static_cast<std::int32_t>(to.batches.size()),
                            static_cast<std::int32_t>(to.scales.size()), 0,
                            static_cast<std::int32_t>(to.strips.size()), 0,
                            static_cast<std::int32_t>(to.tiles.size()), 0});
      shelves = Shelves(plan.pyramid.stride);
      left = batch_cells;
    }
    DeviceScale made;
    made.scale = scale;
    made.real = static_cast<std::int32_t>(sources.real_of[i]);
    const auto& [across, down] = sources.from_real[i];
    const int taps = std::max(across.count, down.count);
    if (taps > kMostCellTaps)
      throw Error(ErrorKind::internal,
                  "acf: a scale is too far from the one that it is computed from");
    made.across = append(with_taps(across, taps > 2 ? kMostCellTaps : 2), to);
    made.down = append(with_taps(down, taps > 2 ? kMostCellTaps : 2), to);
    made.first_cell = static_cast<std::int32_t>(shelves.place(scale.padded));
    made.first_place = static_cast<std::uint32_t>(places);
    const auto number = static_cast<int>(to.scales.size());
    append_parts(number, scale.cells, kStrip, to.strips);
    append_parts(number, scale.places, {kScanColumns, plan.classifier.scan.rows}, to.tiles);
    to.scales.push_back(made);
    BatchPlan& batch = to.batches.back();
    ++batch.scales;
    batch.strips = static_cast<std::int32_t>(to.strips.size()) - batch.first_strip;
    batch.tiles = static_cast<std::int32_t>(to.tiles.size()) - batch.first_tile;
    left -= area(scale.padded);
    places += area(scale.places);
    plan.pyramid.plane = std::max(plan.pyramid.plane, shelves.samples());
  }
  plan.pyramid.scale_count = static_cast<std::int32_t>(to.scales.size());
  // Kernels address cells by 32-bit distances, in bytes, over all channels.
  constexpr std::int64_t kMostBytes = std::numeric_limits<std::int32_t>::max();
  if (plan.pyramid.plane * kChannels * static_cast<std::int64_t>(sizeof(float)) > kMostBytes ||
      places > std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorKind::device,
                "acf: " + to_string(plan.picture.upright) +
                    ": the enlarged picture would be too large; give a larger --min-face");
}

/// Makes tiles as high as shared memory allows. If shared memory has no room for a tile of one row,
/// windows are read from global memory.
void choose_layout(const Model& model, std::size_t shared_samples, AcfPlan& plan) {
  constexpr int kCopied = 4;  // samples that a thread copies at once
  plan.classifier.window = model.window_cells();
  ScanLayout& scan = plan.classifier.scan;
  scan.in_shared = 1;
  scan.stride = rounded_up(kScanColumns + plan.classifier.window.width - 1, kCopied);
  for (scan.rows = kMostScanRows; scan.rows > 0; --scan.rows) {
    scan.plane = std::int64_t{scan.stride} * (scan.rows + plan.classifier.window.height - 1);
    const std::int64_t lists = std::int64_t{kListSamples} * scan.rows * kScanColumns;
    if (scan.plane * kChannels + lists <= static_cast<std::int64_t>(shared_samples)) return;
  }
  scan = {0, kMostScanRows, 0, 0};
}

void add_trees(const Model& model, std::int32_t least_sum, AcfTables& to) {
  AcfPlan& plan = to.plan;
  ScanLayout& scan = plan.classifier.scan;
  if (scan.in_shared == 0) {
    scan.stride = plan.pyramid.stride;
    scan.plane = plan.pyramid.plane;
  }
  to.trees = trees_for(model, scan.stride, scan.plane);
  plan.classifier.tree_count = static_cast<std::int32_t>(to.trees.size());
  constexpr int kLanes = kWarpTrees / kLaneRun;
  to.trees.resize(static_cast<std::size_t>(rounded_up(plan.classifier.tree_count, kWarpTrees)));
  to.warp_trees.resize(to.trees.size());
  for (int i = 0; i < plan.classifier.tree_count; ++i) {
    const int in_block = i % kWarpTrees;
    const int at = i - in_block + in_block % kLaneRun * kLanes + in_block / kLaneRun;
    to.warp_trees[static_cast<std::size_t>(at)] = to.trees[static_cast<std::size_t>(i)];
  }
  plan.classifier.threshold = model.threshold;
  plan.classifier.least_sum = least_sum;
  plan.classifier.curve = score_curve(model);
}

}  // namespace

std::vector<DeviceTree> trees_for(const Model& model, std::int64_t stride, std::int64_t plane) {
  const Size window = model.window_cells();
  std::vector<DeviceTree> trees;
  trees.reserve(model.trees.size());
  for (const Tree& tree : model.trees) {
    DeviceTree& made = trees.emplace_back();
    std::ranges::copy(tree.thresholds, made.thresholds);
    std::ranges::copy(tree.leaves, made.leaves);
    for (std::size_t i = 0; i < tree.features.size(); ++i) {
      const auto feature = static_cast<int>(tree.features[i]);
      const int row = feature % window.height;
      const int column = feature / window.height % window.width;
      const int channel = feature / window.height / window.width;
      const std::int64_t samples = channel * plane + row * stride + column;
      made.offsets[i] = static_cast<std::int32_t>(samples * static_cast<int>(sizeof(float)));
    }
  }
  return trees;
}

AcfTables make_acf_tables(const Model& model, const StreamLayout& layout, const SizeLimits& limits,
                          std::int32_t least_sum, std::int64_t batch_cells,
                          std::size_t shared_samples) {
  AcfTables tables;
  add_picture(layout, tables.plan);
  const std::vector<Scale> scales = plan_scales(model, tables.plan.picture.upright, limits);
  const Sources sources = plan_sources(scales, tables.plan.picture.upright);
  add_real(scales, sources, tables);
  tables.plan.pyramid.padding = {model.padding.width / kShrink, model.padding.height / kShrink};
  choose_layout(model, shared_samples, tables.plan);
  add_scales(scales, sources, batch_cells, tables);
  add_trees(model, least_sum, tables);
  return tables;
}

}  // namespace facepipe::detector::acf
