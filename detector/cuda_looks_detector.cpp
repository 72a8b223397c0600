#include "detector/cuda_looks_detector.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "core/cuda/detections.h"
#include "core/error.h"
#include "detector/cnn/cuda/tile_kernels.h"
#include "detector/mirror.h"

namespace facepipe::detector {
namespace {

class CudaLooksDetector final : public CudaDetector,
                                public std::enable_shared_from_this<CudaLooksDetector> {
 public:
  CudaLooksDetector(std::vector<CudaLook> looks, int width, std::uint32_t capacity)
      : looks_(std::move(looks)), width_(width), capacity_(capacity) {}

  [[nodiscard]] DetectorFacts facts() const override { return looks_.front().detector->facts(); }
  [[nodiscard]] std::uint32_t capacity() const override { return capacity_; }
  [[nodiscard]] std::unique_ptr<CudaDetection> make_detection() const override;

  [[nodiscard]] const std::vector<CudaLook>& looks() const { return looks_; }
  [[nodiscard]] int width() const { return width_; }

 private:
  std::vector<CudaLook> looks_;
  int width_;
  std::uint32_t capacity_;
};

using LookDetections = std::vector<std::unique_ptr<CudaDetection>>;

LookDetections detections_of(const std::vector<CudaLook>& looks) {
  LookDetections detections;
  for (const CudaLook& look : looks) detections.push_back(look.detector->make_detection());
  return detections;
}

/// Returns the fields that the candidates of all looks together have.
cuda::DetectionFields fields_of(const std::vector<CudaLook>& looks,
                                const LookDetections& detections) {
  cuda::DetectionFields all{false, false};
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const cuda::DetectionFields its = cuda::fields_of(detections[i]->candidates());
    all.landmarks |= its.landmarks;
    all.classes |= its.classes || looks[i].first_class > 0;
  }
  return all;
}

class CudaLooksDetection final : public CudaDetection {
 public:
  explicit CudaLooksDetection(std::shared_ptr<const CudaLooksDetector> detector)
      : detector_(std::move(detector)),
        looks_(detections_of(detector_->looks())),
        found_(detector_->capacity(), fields_of(detector_->looks(), looks_)) {}

  void enqueue_preprocess(const FrameDescriptor* frame, cuda::StreamView stream) override {
    for (const auto& look : looks_) look->enqueue_preprocess(frame, stream);
  }

  void enqueue_inference(const FrameDescriptor* frame, cuda::StreamView stream) override {
    for (const auto& look : looks_) look->enqueue_inference(frame, stream);
    cuda::clear(found_.view(), stream);
    for (std::size_t i = 0; i < looks_.size(); ++i) append(i, stream);
  }

  [[nodiscard]] cuda::DeviceDetections candidates() const override { return found_.view(); }

 private:
  void append(std::size_t look, cuda::StreamView stream) const {
    constexpr float kAnywhere = std::numeric_limits<float>::infinity();
    constexpr Box kAll{-kAnywhere, -kAnywhere, kAnywhere, kAnywhere};
    const cuda::DeviceDetections found = looks_[look]->candidates();
    const CudaLook& at = detector_->looks()[look];
    if (at.mirrored)
      engine::launch_append_mirrored(found, candidates(), detector_->width(), stream);
    else
      engine::launch_append(found, candidates(), kAll, {0, 0}, stream, at.first_class);
  }

  std::shared_ptr<const CudaLooksDetector> detector_;
  LookDetections looks_;
  cuda::DetectionBuffers found_;  ///< candidates of all looks
};

std::unique_ptr<CudaDetection> CudaLooksDetector::make_detection() const {
  return std::make_unique<CudaLooksDetection>(shared_from_this());
}

}  // namespace

std::shared_ptr<const CudaDetector> make_cuda_looks_detector(std::vector<CudaLook> looks,
                                                             int width) {
  if (looks.empty() || looks.front().mirrored)
    throw Error(ErrorKind::internal, "looks: the first look is at the picture itself");
  if (looks.size() == 1) return looks.front().detector;
  const std::uint32_t capacity = looks.front().detector->capacity();
  return std::make_shared<CudaLooksDetector>(std::move(looks), width, capacity);
}

std::shared_ptr<const CudaDetector> make_cuda_joining_detector(std::vector<CudaLook> models) {
  if (models.empty() ||
      std::ranges::any_of(models, [](const CudaLook& model) { return model.mirrored; }))
    throw Error(ErrorKind::internal, "models: each searches the picture itself");
  constexpr int kNoWidth = 0;  // only mirrored looks need the width
  const std::uint32_t capacity = std::accumulate(
      models.begin(), models.end(), std::uint32_t{0},
      [](std::uint32_t sum, const CudaLook& model) { return sum + model.detector->capacity(); });
  return std::make_shared<CudaLooksDetector>(std::move(models), kNoWidth, capacity);
}

std::shared_ptr<const CudaDetector> make_cuda_looks(const Looks& looks, const StreamLayout& layout,
                                                    const MakeCudaLook& make) {
  std::vector<CudaLook> all;
  for (const float scale : looks.scales) all.push_back({make(layout, scale), false});
  if (looks.mirrored) {
    StreamLayout other_way = layout;
    other_way.orientation = mirrored(layout.orientation);
    all.push_back({make(other_way, looks.scales.front()), true});
  }
  return make_cuda_looks_detector(std::move(all),
                                  upright_size(layout.stored, layout.orientation).width);
}

}  // namespace facepipe::detector
