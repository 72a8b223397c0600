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
#include "detector/turned_faces.h"

namespace facepipe::detector {
namespace {

class CudaLooksDetector final : public CudaDetector,
                                public std::enable_shared_from_this<CudaLooksDetector> {
 public:
  CudaLooksDetector(std::vector<CudaLook> looks, Size upright, std::uint32_t capacity)
      : looks_(std::move(looks)), upright_(upright), capacity_(capacity) {}

  [[nodiscard]] DetectorFacts facts() const override { return looks_.front().detector->facts(); }
  [[nodiscard]] std::uint32_t capacity() const override { return capacity_; }
  [[nodiscard]] int phases() const override {
    const auto has_phases = [](const CudaLook& look) {
      return look.phase || look.detector->phases() > 1;
    };
    return std::ranges::any_of(looks_, has_phases) ? kTurns : 1;
  }
  [[nodiscard]] std::unique_ptr<CudaDetection> make_detection() const override;

  [[nodiscard]] const std::vector<CudaLook>& looks() const { return looks_; }
  [[nodiscard]] Size upright() const { return upright_; }

 private:
  std::vector<CudaLook> looks_;
  Size upright_;
  std::uint32_t capacity_;
};

using LookDetections = std::vector<std::unique_ptr<CudaDetection>>;

/// Looks of different phases are never at the same frame, so they use the same memory.
LookDetections detections_of(const std::vector<CudaLook>& looks) {
  LookDetections detections;
  LentMemory lent;
  for (const CudaLook& look : looks) {
    if (look.phase) {
      detections.push_back(look.detector->make_detection_in(lent));
      lent = detections.back()->lent();
    } else {
      detections.push_back(look.detector->make_detection());
    }
  }
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

  void set_phase(int phase) override {
    phase_ = phase;
    for (const auto& look : looks_) look->set_phase(phase);
  }

  void enqueue_preprocess(const FrameDescriptor* frame, cuda::StreamView stream) override {
    for (std::size_t i = 0; i < looks_.size(); ++i)
      if (is_at_phase(i)) looks_[i]->enqueue_preprocess(frame, stream);
  }

  void enqueue_inference(const FrameDescriptor* frame, cuda::StreamView stream) override {
    for (std::size_t i = 0; i < looks_.size(); ++i)
      if (is_at_phase(i)) looks_[i]->enqueue_inference(frame, stream);
    cuda::clear(found_.view(), stream);
    for (std::size_t i = 0; i < looks_.size(); ++i)
      if (is_at_phase(i)) append(i, stream);
  }

  [[nodiscard]] cuda::DeviceDetections candidates() const override { return found_.view(); }

 private:
  [[nodiscard]] bool is_at_phase(std::size_t look) const {
    return detector_->looks()[look].phase.value_or(phase_) == phase_;
  }
  void append(std::size_t look, cuda::StreamView stream) const {
    constexpr float kAnywhere = std::numeric_limits<float>::infinity();
    constexpr Box kAll{-kAnywhere, -kAnywhere, kAnywhere, kAnywhere};
    const cuda::DeviceDetections found = looks_[look]->candidates();
    const CudaLook& at = detector_->looks()[look];
    if (at.mirrored)
      engine::launch_append_mirrored(found, candidates(), detector_->upright().width, stream);
    else if (at.quarter_turns != 0)
      engine::launch_append_turned_back(found, candidates(), at.quarter_turns, detector_->upright(),
                                        stream);
    else
      engine::launch_append(found, candidates(), kAll, {0, 0}, stream, at.first_class);
  }

  std::shared_ptr<const CudaLooksDetector> detector_;
  LookDetections looks_;
  cuda::DetectionBuffers found_;  ///< candidates of all looks
  int phase_ = 0;
};

std::unique_ptr<CudaDetection> CudaLooksDetector::make_detection() const {
  return std::make_unique<CudaLooksDetection>(shared_from_this());
}

/// Returns whether the look is at the picture itself, in each frame.
bool is_plain(const CudaLook& look) {
  return !look.mirrored && look.quarter_turns == 0 && !look.phase;
}

}  // namespace

std::shared_ptr<const CudaDetector> make_cuda_looks_detector(std::vector<CudaLook> looks,
                                                             Size upright) {
  if (looks.empty() || !is_plain(looks.front()))
    throw Error(ErrorKind::internal, "looks: the first look is at the picture itself");
  if (looks.size() == 1) return looks.front().detector;
  const std::uint32_t capacity = looks.front().detector->capacity();
  return std::make_shared<CudaLooksDetector>(std::move(looks), upright, capacity);
}

std::shared_ptr<const CudaDetector> make_cuda_joining_detector(std::vector<CudaLook> models) {
  if (models.empty() || !std::ranges::all_of(models, is_plain))
    throw Error(ErrorKind::internal, "models: each searches the picture itself");
  constexpr Size kNoSize{};  // only mirrored and turned looks need the size
  const std::uint32_t capacity = std::accumulate(
      models.begin(), models.end(), std::uint32_t{0},
      [](std::uint32_t sum, const CudaLook& model) { return sum + model.detector->capacity(); });
  return std::make_shared<CudaLooksDetector>(std::move(models), kNoSize, capacity);
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
  if (looks.turned)
    for (int turns = 1; turns <= kTurns; ++turns)
      all.push_back({.detector = make(turned(layout, turns), looks.scales.front()),
                     .quarter_turns = turns,
                     .phase = turns - 1});
  return make_cuda_looks_detector(std::move(all), upright_size(layout.stored, layout.orientation));
}

StreamLayout turned(const StreamLayout& layout, int quarter_turns) {
  StreamLayout seen = layout;
  seen.orientation = turned(layout.orientation, quarter_turns);
  return seen;
}

std::shared_ptr<const CudaDetector> make_cuda_turned_too(
    int quarter_turns, const StreamLayout& layout,
    const std::function<std::shared_ptr<const CudaDetector>(const StreamLayout&)>& make) {
  std::vector<CudaLook> looks{{.detector = make(layout)}};
  if (quarter_turns != 0)
    looks.push_back(
        {.detector = make(turned(layout, quarter_turns)), .quarter_turns = quarter_turns});
  return make_cuda_looks_detector(std::move(looks),
                                  upright_size(layout.stored, layout.orientation));
}

}  // namespace facepipe::detector
