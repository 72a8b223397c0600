#include "detector/cascade/cuda/cascade_detector.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/error.h"
#include "detector/cascade/cuda/kernels.h"
#include "detector/cascade/cuda/plan.h"

namespace facepipe::detector::cascade {
namespace {

/// Holds the arrays of a plan in device memory.
class PlanOnDevice {
 public:
  explicit PlanOnDevice(const ScanTables& tables) : plan_(tables.plan) {
    const cuda::Stream stream;
    grey_ = cuda::uploaded(tables.grey, stream);
    stages_ = cuda::uploaded(tables.stages, stream);
    roots_ = cuda::uploaded(tables.roots, stream);
    levels_ = cuda::uploaded(tables.levels, stream);
    tiles_ = cuda::uploaded(tables.tiles, stream);
    axes_ = cuda::uploaded(tables.axes, stream);
    for (std::size_t i = 0; i < 2; ++i) {
      nodes_[i] = cuda::uploaded(tables.nodes[i], stream);
      blocks_[i] = cuda::uploaded(tables.blocks[i], stream);
      plan_.cascade.nodes[i] = nodes_[i].data();
      plan_.cascade.blocks[i] = blocks_[i].data();
      std::ranges::copy(tables.stumps[i], stumps_.pairs[i]);
    }
    plan_.picture.grey_levels = grey_.data();
    plan_.cascade.stages = stages_.data();
    plan_.cascade.roots = roots_.data();
    plan_.levels.all = levels_.data();
    plan_.levels.tiles = tiles_.data();
    plan_.levels.axes = axes_.data();
  }

  [[nodiscard]] const ScanPlan& plan() const { return plan_; }
  [[nodiscard]] const StumpWords& stumps() const { return stumps_; }

 private:
  ScanPlan plan_;
  StumpWords stumps_;
  cuda::DeviceBuffer<std::uint8_t> grey_;
  cuda::DeviceBuffer<DeviceStage> stages_;
  cuda::DeviceBuffer<std::int32_t> roots_;
  cuda::DeviceBuffer<DeviceNode> nodes_[2];
  cuda::DeviceBuffer<StumpBlock> blocks_[2];
  cuda::DeviceBuffer<DeviceLevel> levels_;
  cuda::DeviceBuffer<DeviceTile> tiles_;
  cuda::DeviceBuffer<AxisPixel> axes_;
};

class CudaCascadeDetector final : public CudaDetector,
                                  public std::enable_shared_from_this<CudaCascadeDetector> {
 public:
  CudaCascadeDetector(const Cascade& cascade, const StreamLayout& layout,
                      const CudaCascadeOptions& options)
      : options_(options),
        window_(cascade.window),
        plan_(make_scan_tables(cascade, checked(layout, "cascade"), options.levels)),
        blocks_(tile_blocks(plan_.plan())) {}

  [[nodiscard]] DetectorFacts facts() const override { return {{}, window_, {}}; }
  [[nodiscard]] std::uint32_t capacity() const override { return options_.capacity; }
  [[nodiscard]] std::unique_ptr<CudaDetection> make_detection() const override;

  [[nodiscard]] const ScanPlan& plan() const { return plan_.plan(); }
  [[nodiscard]] const StumpWords& stumps() const { return plan_.stumps(); }
  [[nodiscard]] int blocks() const { return blocks_; }
  [[nodiscard]] Selection selection() const {
    return {options_.score_threshold, options_.every_window};
  }

 private:
  CudaCascadeOptions options_;
  Size window_;
  PlanOnDevice plan_;
  int blocks_;
};

class CudaCascadeDetection final : public CudaDetection {
 public:
  explicit CudaCascadeDetection(std::shared_ptr<const CudaCascadeDetector> detector)
      : detector_(std::move(detector)),
        grey_(static_cast<std::size_t>(grey_stride(detector_->plan().picture.upright)) *
              static_cast<std::size_t>(detector_->plan().picture.upright.height)),
        counts_(1),
        failed_(words()),
        passed_(words()),
        found_places_(kMostWindows),
        found_windows_(kMostWindows),
        windows_(kMostWindows),
        scores_(kMostWindows),
        found_(detector_->capacity(), false) {}

  void enqueue_preprocess(const FrameDescriptor* /*frame*/, cuda::StreamView /*stream*/) override {}

  void enqueue_inference(const FrameDescriptor* frame, cuda::StreamView stream) override {
    if (frame == nullptr) throw Error(ErrorKind::internal, "cascade: the frame is null");
    const ScanBuffers buffers = this->buffers();
    launch_tiles(frame, detector_->plan(), detector_->stumps(), buffers, detector_->blocks(),
                 stream);
    launch_listing(detector_->plan(), buffers, stream);
    launch_selection(detector_->plan(), buffers, detector_->selection(), candidates(), stream);
  }

  [[nodiscard]] cuda::DeviceDetections candidates() const override { return found_.view(); }

 private:
  [[nodiscard]] std::size_t words() const {
    // at least 1, so that the buffer is not null
    return static_cast<std::size_t>(detector_->plan().levels.word_count) + 1;
  }
  [[nodiscard]] ScanBuffers buffers() const {
    return {counts_.data(),  grey_.data(),         failed_.data(),
            passed_.data(),  found_places_.data(), found_windows_.data(),
            windows_.data(), scores_.data(),       kMostWindows};
  }

  std::shared_ptr<const CudaCascadeDetector> detector_;
  cuda::DeviceBuffer<std::uint8_t> grey_;
  cuda::DeviceBuffer<ScanCounts> counts_;
  cuda::DeviceBuffer<std::uint32_t> failed_;
  cuda::DeviceBuffer<std::uint32_t> passed_;
  cuda::DeviceBuffer<std::uint32_t> found_places_;
  cuda::DeviceBuffer<nms::WholeBox> found_windows_;
  cuda::DeviceBuffer<nms::WholeBox> windows_;
  cuda::DeviceBuffer<float> scores_;
  cuda::DetectionBuffers found_;
};

std::unique_ptr<CudaDetection> CudaCascadeDetector::make_detection() const {
  return std::make_unique<CudaCascadeDetection>(shared_from_this());
}

}  // namespace

std::shared_ptr<const CudaDetector> make_cuda_cascade_detector(const Cascade& cascade,
                                                               const StreamLayout& layout,
                                                               const CudaCascadeOptions& options) {
  if (options.capacity < 1)
    throw Error(ErrorKind::usage, "cascade: the capacity must be 1 or more");
  return std::make_shared<const CudaCascadeDetector>(cascade, layout, options);
}

}  // namespace facepipe::detector::cascade
