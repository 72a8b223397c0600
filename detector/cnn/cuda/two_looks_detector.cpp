#include "detector/cnn/cuda/two_looks_detector.h"

#include <limits>
#include <utility>

#include "core/cuda/detections.h"
#include "detector/cnn/cuda/tile_kernels.h"

namespace facepipe::detector {
namespace {

class CudaTwoLooksDetector final : public CudaDetector,
                                   public std::enable_shared_from_this<CudaTwoLooksDetector> {
 public:
  CudaTwoLooksDetector(std::shared_ptr<const CudaDetector> plain,
                       std::shared_ptr<const CudaDetector> mirrored, int width)
      : plain_(std::move(plain)), mirrored_(std::move(mirrored)), width_(width) {}

  [[nodiscard]] DetectorFacts facts() const override { return plain_->facts(); }
  [[nodiscard]] std::uint32_t capacity() const override { return plain_->capacity(); }
  [[nodiscard]] std::unique_ptr<CudaDetection> make_detection() const override;

  [[nodiscard]] const CudaDetector& plain() const { return *plain_; }
  [[nodiscard]] const CudaDetector& mirrored() const { return *mirrored_; }
  [[nodiscard]] int width() const { return width_; }

 private:
  std::shared_ptr<const CudaDetector> plain_;
  std::shared_ptr<const CudaDetector> mirrored_;
  int width_;
};

class CudaTwoLooksDetection final : public CudaDetection {
 public:
  explicit CudaTwoLooksDetection(std::shared_ptr<const CudaTwoLooksDetector> detector)
      : detector_(std::move(detector)),
        plain_(detector_->plain().make_detection()),
        mirrored_(detector_->mirrored().make_detection()),
        found_(detector_->capacity(), plain_->candidates().landmarks != nullptr) {}

  void enqueue_preprocess(const FrameDescriptor* frame, cuda::StreamView stream) override {
    plain_->enqueue_preprocess(frame, stream);
    mirrored_->enqueue_preprocess(frame, stream);
  }

  void enqueue_inference(const FrameDescriptor* frame, cuda::StreamView stream) override {
    constexpr float kAnywhere = std::numeric_limits<float>::infinity();
    plain_->enqueue_inference(frame, stream);
    mirrored_->enqueue_inference(frame, stream);
    cuda::clear(found_.view(), stream);
    engine::launch_append(plain_->candidates(), candidates(),
                          {-kAnywhere, -kAnywhere, kAnywhere, kAnywhere}, {0, 0}, stream);
    engine::launch_append_mirrored(mirrored_->candidates(), candidates(), detector_->width(),
                                   stream);
  }

  [[nodiscard]] cuda::DeviceDetections candidates() const override { return found_.view(); }

 private:
  std::shared_ptr<const CudaTwoLooksDetector> detector_;
  std::unique_ptr<CudaDetection> plain_;
  std::unique_ptr<CudaDetection> mirrored_;
  cuda::DetectionBuffers found_;  ///< candidates of both looks
};

std::unique_ptr<CudaDetection> CudaTwoLooksDetector::make_detection() const {
  return std::make_unique<CudaTwoLooksDetection>(shared_from_this());
}

}  // namespace

std::shared_ptr<const CudaDetector> make_cuda_two_looks_detector(
    std::shared_ptr<const CudaDetector> plain, std::shared_ptr<const CudaDetector> mirrored,
    int width) {
  return std::make_shared<CudaTwoLooksDetector>(std::move(plain), std::move(mirrored), width);
}

}  // namespace facepipe::detector
