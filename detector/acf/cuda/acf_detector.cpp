#include "detector/acf/cuda/acf_detector.h"

#include <cstddef>
#include <span>
#include <utility>

#include "core/cuda/stream.h"
#include "core/error.h"
#include "detector/acf/cuda/device_memory.h"
#include "detector/acf/cuda/kernels.h"
#include "detector/acf/cuda/plan.h"

namespace facepipe::detector::acf {
namespace {

class CudaAcfDetector final : public CudaDetector,
                              public std::enable_shared_from_this<CudaAcfDetector> {
 public:
  CudaAcfDetector(const Model& model, const StreamLayout& layout, const CudaAcfOptions& options)
      : options_(options),
        object_(model.object),
        plan_(make_acf_tables(model, checked(layout, "acf"), options.sizes,
                              least_sum_above(model, options.score_threshold), options.batch_cells,
                              options.shared_samples.value_or(shared_samples()))),
        blocks_(scan_blocks(plan_.plan())) {}

  [[nodiscard]] DetectorFacts facts() const override { return {{}, object_, {}}; }
  [[nodiscard]] std::uint32_t capacity() const override { return options_.capacity; }
  [[nodiscard]] std::unique_ptr<CudaDetection> make_detection() const override;

  [[nodiscard]] const AcfTables& tables() const { return plan_.tables(); }
  [[nodiscard]] int blocks() const { return blocks_; }

 private:
  CudaAcfOptions options_;
  Size object_;
  PlanOnDevice plan_;
  int blocks_;
};

class CudaAcfDetection final : public CudaDetection {
 public:
  explicit CudaAcfDetection(std::shared_ptr<const CudaAcfDetector> detector)
      : detector_(std::move(detector)),
        memory_(detector_->tables()),
        found_(detector_->capacity(), false) {}

  void enqueue_preprocess(const FrameDescriptor* /*frame*/, cuda::StreamView /*stream*/) override {}

  void enqueue_inference(const FrameDescriptor* frame, cuda::StreamView stream) override {
    if (frame == nullptr) throw Error(ErrorKind::internal, "acf: the frame is null");
    const AcfTables& tables = detector_->tables();
    const AcfBuffers buffers = memory_.buffers();
    launch_luv(frame, tables.plan, buffers, stream);
    launch_real(tables.plan, buffers, stream);
    for (const BatchPlan& batch : tables.batches) {
      launch_cells(tables.plan, batch, buffers, stream);
      launch_scan(tables.plan, batch, buffers, detector_->blocks(), stream);
    }
    launch_selection(tables.plan, buffers, candidates(), stream);
  }

  [[nodiscard]] cuda::DeviceDetections candidates() const override { return found_.view(); }

 private:
  std::shared_ptr<const CudaAcfDetector> detector_;
  FrameMemory memory_;
  cuda::DetectionBuffers found_;
};

std::unique_ptr<CudaDetection> CudaAcfDetector::make_detection() const {
  return std::make_unique<CudaAcfDetection>(shared_from_this());
}

/// Returns the padded cells of one scale. `planes` are the planes of `plan`.
std::vector<float> cells_of(const AcfPlan& plan, const DeviceScale& scale,
                            std::span<const float> planes) {
  std::vector<float> cells;
  const Size padded = scale.scale.padded;
  for (int c = 0; c < kChannels; ++c)
    for (int y = 0; y < padded.height; ++y) {
      const auto first = static_cast<std::size_t>(c * plan.pyramid.plane + scale.first_cell +
                                                  std::int64_t{y} * plan.pyramid.stride);
      const auto row = planes.subspan(first, static_cast<std::size_t>(padded.width));
      cells.insert(cells.end(), row.begin(), row.end());
    }
  return cells;
}

}  // namespace

std::shared_ptr<const CudaDetector> make_cuda_acf_detector(const Model& model,
                                                           const StreamLayout& layout,
                                                           const CudaAcfOptions& options) {
  if (options.capacity < 1) throw Error(ErrorKind::usage, "acf: the capacity must be 1 or more");
  return std::make_shared<const CudaAcfDetector>(model, layout, options);
}

std::vector<std::vector<float>> cuda_channels(const Model& model, const StreamLayout& layout,
                                              const SizeLimits& sizes,
                                              const FrameDescriptor* frame) {
  const PlanOnDevice plan(make_acf_tables(model, checked(layout, "acf"), sizes, 0,
                                          CudaAcfOptions().batch_cells, shared_samples()));
  const AcfTables& tables = plan.tables();
  const FrameMemory memory(tables);
  const cuda::Stream stream;
  std::vector<float> planes(static_cast<std::size_t>(tables.plan.pyramid.plane * kChannels));
  std::vector<std::vector<float>> channels;
  launch_luv(frame, tables.plan, memory.buffers(), stream);
  launch_real(tables.plan, memory.buffers(), stream);
  for (const BatchPlan& batch : tables.batches) {
    launch_cells(tables.plan, batch, memory.buffers(), stream);
    cuda::copy(std::span<float>(planes),
               cuda::DeviceSpan<const float>{memory.buffers().cells, planes.size()}, stream);
    stream.synchronize();
    for (int i = batch.first_scale; i < batch.first_scale + batch.scales; ++i)
      channels.push_back(cells_of(tables.plan, tables.scales[static_cast<std::size_t>(i)], planes));
  }
  return channels;
}

}  // namespace facepipe::detector::acf
