// Runs suppression on the device, for tests and measurements: uploads candidates, launches one CUDA
// graph, and downloads the results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/graph.h"
#include "core/cuda/stream.h"
#include "nms/cuda/suppressor.h"
#include "nms/nms.h"

namespace facepipe::test {

struct DeviceResult {
  std::vector<std::uint32_t> indices;
  std::vector<Box> boxes;
  std::vector<float> scores;
  std::uint32_t beyond_capacity = 0;
};

/// Holds a suppressor, its buffers, and a CUDA graph of its work.
class DeviceNms {
 public:
  DeviceNms(const nms::NmsOptions& options, std::uint32_t capacity,
            std::uint32_t multiprocessors = nms::kAllMultiprocessors)
      : options_(options),
        suppressor_(options, capacity, multiprocessors),
        boxes_(capacity),
        scores_(capacity),
        count_(1),
        indices_(capacity),
        kept_boxes_(capacity),
        kept_scores_(capacity),
        counts_(2) {
    candidates_ = {boxes_.data(), scores_.data(), count_.data()};
    const nms::DeviceKept kept{indices_.data(), counts_.data(), counts_.data() + 1,
                               kept_boxes_.data(), kept_scores_.data()};
    exec_.emplace(cuda::capture(stream_, [&] { suppressor_.enqueue(candidates_, kept, stream_); }));
    // With these bytes, tests find values that no kernel has written.
    cuda::fill(boxes_.span(), 0xff, stream_);
    cuda::fill(scores_.span(), 0xff, stream_);
  }

  [[nodiscard]] const cuda::Stream& stream() const { return stream_; }
  [[nodiscard]] std::uint32_t capacity() const { return suppressor_.capacity(); }
  [[nodiscard]] nms::CudaSuppressor& suppressor() { return suppressor_; }
  [[nodiscard]] const nms::DeviceCandidates& candidates() const { return candidates_; }

  /// Uploads candidates up to the capacity, but sets the count to the number of all candidates.
  void upload(const nms::NmsCandidates& all) {
    const std::size_t stored = std::min<std::size_t>(all.boxes.size(), capacity());
    cuda::copy(boxes_.span(), all.boxes.first(stored), stream_);
    cuda::copy(scores_.span(), all.scores.first(stored), stream_);
    upload_count(static_cast<std::uint32_t>(all.boxes.size()));
  }
  void upload_count(std::uint32_t count) {
    cuda::copy(count_.span(), std::span(&count, 1), stream_);
    stream_.synchronize();
  }
  void launch() const { exec_->launch(stream_); }
  /// Launches the graph on a given stream.
  void launch(cuda::StreamView stream) const { exec_->launch(stream); }

  /// Waits for the last launch and returns its result.
  [[nodiscard]] DeviceResult download() const {
    std::uint32_t counts[2] = {0, 0};
    cuda::copy(std::span<std::uint32_t>(counts), counts_.span(), stream_);
    stream_.synchronize();
    DeviceResult out;
    out.beyond_capacity = counts[1];
    const std::uint32_t kept = std::min(counts[0], capacity());
    fetch(out.indices, indices_, kept);
    if (nms::moves_boxes(options_)) fetch(out.boxes, kept_boxes_, kept);
    if (nms::changes_scores(options_)) fetch(out.scores, kept_scores_, kept);
    return out;
  }
  [[nodiscard]] DeviceResult run(const nms::NmsCandidates& all) {
    upload(all);
    // With these bytes, an old result can't be taken for a new one.
    cuda::fill(indices_.span(), 0xff, stream_);
    cuda::fill(counts_.span(), 0xff, stream_);
    launch();
    return download();
  }

 private:
  template <class T>
  void fetch(std::vector<T>& out, const cuda::DeviceBuffer<T>& from, std::uint32_t count) const {
    out.resize(count);
    cuda::copy(std::span<T>(out), from.span(), stream_);
    stream_.synchronize();
  }

  nms::NmsOptions options_;
  cuda::Stream stream_;
  nms::CudaSuppressor suppressor_;
  cuda::DeviceBuffer<Box> boxes_;
  cuda::DeviceBuffer<float> scores_;
  cuda::DeviceBuffer<std::uint32_t> count_;
  cuda::DeviceBuffer<std::uint32_t> indices_;
  cuda::DeviceBuffer<Box> kept_boxes_;
  cuda::DeviceBuffer<float> kept_scores_;
  cuda::DeviceBuffer<std::uint32_t> counts_;
  nms::DeviceCandidates candidates_;
  std::optional<cuda::GraphExec> exec_;
};

}  // namespace facepipe::test
