// Runs suppression by a pair rule on the device, for tests and measurements: uploads candidates and
// the rule's data, launches one graph, and downloads the kept candidates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/graph.h"
#include "core/cuda/stream.h"
#include "experiments/programs/nms_papers/pair_nms_on_device.h"

namespace facepipe::nms_papers {

class DevicePairs {
 public:
  explicit DevicePairs(std::uint32_t capacity)
      : nms_(capacity), boxes_(capacity), scores_(capacity), indices_(capacity), counts_(3) {}

  [[nodiscard]] const cuda::Stream& stream() const { return stream_; }

  /// Returns the indices of the kept candidates. There may be at most as many candidates as the
  /// capacity. The rule's pointers are to the host's memory. launch() repeats the suppression.
  template <class Rule>
  std::vector<std::uint32_t> run(const Rule& rule, std::span<const Box> boxes,
                                 std::span<const float> scores, Removers removers) {
    const auto count = static_cast<std::uint32_t>(boxes.size());
    cuda::copy(boxes_.span(), boxes, stream_);
    cuda::copy(scores_.span(), scores, stream_);
    cuda::copy(counts_.span(), std::span(&count, 1), stream_);
    const Rule on_device = uploaded(rule, count);
    exec_.emplace(cuda::capture(stream_, [&] {
      nms_.enqueue(on_device, {boxes_.data(), scores_.data(), counts_.data()},
                   {indices_.data(), counts_.data() + 1, counts_.data() + 2, nullptr, nullptr},
                   removers, stream_);
    }));
    forget();
    launch();
    return kept();
  }

  void launch() const { exec_->launch(stream_); }

  /// Overwrites the result, so that it can't be taken for the next result.
  void forget() {
    cuda::fill(indices_.span(), 0xff, stream_);
    cuda::fill(cuda::DeviceSpan<std::uint32_t>{counts_.data() + 1, 2}, 0xff, stream_);
  }

  /// Waits for the stream, and returns the result of the last launch.
  [[nodiscard]] std::vector<std::uint32_t> kept() const {
    std::uint32_t counts[3] = {0, 0, 0};
    cuda::copy(std::span<std::uint32_t>(counts), counts_.span(), stream_);
    stream_.synchronize();
    std::vector<std::uint32_t> indices(std::min<std::size_t>(counts[1], indices_.size()));
    cuda::copy(std::span(indices), indices_.span(), stream_);
    stream_.synchronize();
    return indices;
  }

 private:
  [[nodiscard]] AdaptiveRule uploaded(AdaptiveRule rule, std::uint32_t count) {
    rule.densities = upload({rule.densities, count});
    return rule;
  }
  [[nodiscard]] FeatureRule uploaded(FeatureRule rule, std::uint32_t count) {
    rule.features = upload({rule.features, std::size_t{count} * rule.length});
    return rule;
  }
  const float* upload(std::span<const float> values) {
    values_ = cuda::DeviceBuffer<float>(values.size());
    cuda::copy(values_.span(), values, stream_);
    stream_.synchronize();
    return values_.data();
  }

  cuda::Stream stream_;
  DevicePairNms nms_;
  cuda::DeviceBuffer<Box> boxes_;
  cuda::DeviceBuffer<float> scores_;
  cuda::DeviceBuffer<std::uint32_t> indices_;
  /// numbers of candidates, of kept candidates, and of candidates beyond the capacity
  cuda::DeviceBuffer<std::uint32_t> counts_;
  cuda::DeviceBuffer<float> values_;
  std::optional<cuda::GraphExec> exec_;
};

}  // namespace facepipe::nms_papers
