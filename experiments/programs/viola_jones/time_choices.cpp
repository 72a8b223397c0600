#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "bench/device_times.h"
#include "experiments/programs/viola_jones/device_lines.h"
#include "experiments/programs/viola_jones/measures.h"

namespace facepipe::viola_jones {
namespace {

constexpr std::int32_t kBlockSides[] = {8, 16, 32};
constexpr std::int32_t kLeastCached = 1;
constexpr std::int32_t kMostCached = 15;
constexpr double kRatios[] = {1.1, 1.2, 1.3, 1.5};

/// Holds a picture on the device, at the scales of one ratio.
class Choices {
 public:
  Choices(const Job& job, double ratio, int replays)
      : job_(job), replays_(replays), scan_(scan_of(job, ratio)) {
    scan_.enqueue_upload(stream_);
  }

  /// Returns the windows that blocks with this shape find.
  [[nodiscard]] std::vector<FoundWindow> found(Variant variant, const LaunchShape& shape) const {
    enqueue(variant, shape, 0);
    return windows();
  }

  /// Measures replays of a frame's graph with blocks of this shape, without copies, from the scale
  /// `first` on. Returns the windows.
  std::vector<FoundWindow> show(const std::string& who, Variant variant, const LaunchShape& shape,
                                std::size_t first = 0) {
    const cuda::GraphExec graph(cuda::capture(stream_, [&] { enqueue(variant, shape, first); }));
    const std::vector<float> times = bench::microseconds_of_replays(graph, stream_, replays_);
    std::vector<FoundWindow> result = windows();
    show_frame(name_of(variant) + who, /*with_copies=*/false, job_, result.size(), times);
    return result;
  }

 private:
  void enqueue(Variant variant, const LaunchShape& shape, std::size_t first) const {
    scan_.enqueue_sums(stream_);
    for (std::size_t i = first; i < scan_.scales().size(); ++i)
      scan_.enqueue(variant, i, shape, stream_);
  }

  /// Waits, and returns the windows of the last frame.
  [[nodiscard]] std::vector<FoundWindow> windows() const {
    scan_.enqueue_download(stream_);
    stream_.synchronize();
    return scan_.windows();
  }

  const Job& job_;
  int replays_;
  cuda::Stream stream_;
  DeviceScan scan_;
};

void expect_same(const std::vector<FoundWindow>& found, const std::vector<FoundWindow>& expected) {
  if (found != expected)
    throw std::runtime_error("blocks of another shape find other windows than the published ones");
}

}  // namespace

void time_choices(const Job& job, int replays) {
  Choices paper(job, kRatio, replays);
  const std::vector<FoundWindow> expected = paper.found(Variant::dynamic_warp, {});
  for (const Variant variant : kVariants)
    for (const std::int32_t side : kBlockSides) {
      const std::string words =
          ", blocks of " + std::to_string(side) + " x " + std::to_string(side);
      expect_same(paper.show(words, variant, {.block_side = side}), expected);
    }
  const auto stages = static_cast<std::int32_t>(job.cascade.stages.size());
  for (std::int32_t cached = kLeastCached; cached <= std::min(kMostCached, stages); ++cached)
    expect_same(paper.show(", K " + std::to_string(cached), Variant::dynamic_warp,
                           {.cached_stages = cached}),
                expected);
  paper.show(", without the smallest windows", Variant::dynamic_warp, {}, 1);
  for (const double ratio : kRatios) {
    char words[32];
    std::snprintf(words, sizeof words, ", ratio %.1f", ratio);
    Choices(job, ratio, replays).show(words, Variant::dynamic_warp, {});
  }
}

}  // namespace facepipe::viola_jones
