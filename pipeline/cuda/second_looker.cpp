#include "pipeline/cuda/second_looker.h"

#include <utility>

#include "core/cuda/devices.h"
#include "detector/cuda_second_look.h"
#include "pipeline/cuda/descriptor.h"
#include "video/cuda/pictures.h"

namespace facepipe::pipeline {
namespace {

class CudaSecondLooker final : public SecondLooker {
 public:
  CudaSecondLooker(Device device, std::unique_ptr<detector::CudaSecondLook> look,
                   CopyCounter& copies)
      : device_(device), look_(std::move(look)), copies_(copies) {}

  [[nodiscard]] std::vector<float> scores_of(const Frame& frame,
                                             std::span<const Box> faces) override {
    cuda::use_device(device_);
    FrameDescriptor descriptor;
    describe_picture(frame, descriptor);
    video::hold_back_until_ready(frame, look_->stream());
    return look_->scores_of(descriptor, frame.color, faces, copies_);
  }

 private:
  const Device device_;
  const std::unique_ptr<detector::CudaSecondLook> look_;
  CopyCounter& copies_;
};

}  // namespace

std::shared_ptr<SecondLooker> make_cuda_second_looker(
    Device device, const detector::CudaDetectorFactory& detectors, const StreamLayout& frames,
    CopyCounter& copies) {
  cuda::use_device(device);
  auto look = detector::CudaSecondLook::make(detectors, frames);
  if (!look) return nullptr;
  return std::make_shared<CudaSecondLooker>(device, std::move(look), copies);
}

}  // namespace facepipe::pipeline
