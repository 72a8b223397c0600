#include "pipeline/cuda/hiding_device.h"

#include <mutex>

#include "core/cuda/devices.h"
#include "core/cuda/stream.h"
#include "pipeline/cuda/hiding_pixels.h"
#include "pipeline/cuda/processor.h"
#include "pipeline/cuda/second_looker.h"
#include "pipeline/cuda/small_luma.h"
#include "track/cuda/motion.h"

namespace facepipe::pipeline {
namespace {

class CudaHidingDevice final : public HidingDevice {
 public:
  CudaHidingDevice(const ProcessorSetup& setup, Device device,
                   const detector::CudaDetectorFactory* detectors)
      : device_(device),
        detectors_(detectors),
        layout_{setup.first.size, setup.first.format, setup.first.orientation},
        size_(setup.first.size),
        upright_(setup.first.upright()),
        host_motion_(setup.options.hide->host_motion),
        wait_(wait_of(setup)),
        copies_(setup.copies),
        pictures_(setup.first, setup.hiding.pictures) {}

  [[nodiscard]] std::unique_ptr<PictureKeeper> make_keeper() override {
    cuda::use_device(device_);
    return make_cuda_keeper(pictures_, copies_);
  }
  // All lanes share one object, because only the thread that follows faces calls it.
  [[nodiscard]] std::shared_ptr<SecondLooker> make_second_looker() override {
    if (detectors_ == nullptr) return nullptr;
    std::call_once(second_looker_made_, [this] {
      second_looker_ = make_cuda_second_looker(device_, *detectors_, layout_, copies_);
    });
    return second_looker_;
  }
  [[nodiscard]] std::unique_ptr<HidingPixels> make_pixels(
      const overlay::HideOptions& look) override {
    cuda::use_device(device_);
    return make_cuda_hiding_pixels(look, size_);
  }
  [[nodiscard]] std::unique_ptr<track::MotionEstimator> make_lane_motion() override {
    return make_estimator(wait_);
  }
  // The thread that follows faces spins while it waits for the device, because all lanes wait for
  // this thread. The thread that decides waits in the same way as the lanes do. The thread that
  // decides waits only when tracks begin. In a crowd, another thread does the remaining work of
  // that thread meanwhile.
  [[nodiscard]] std::unique_ptr<track::MotionEstimator> make_motion(HidingStep step) override {
    return make_estimator(step == HidingStep::follow ? cuda::Event::Wait::spinning : wait_);
  }

 private:
  [[nodiscard]] std::unique_ptr<track::MotionEstimator> make_estimator(cuda::Event::Wait wait) {
    cuda::use_device(device_);
    if (host_motion_) return std::make_unique<SmallLuma>(size_, copies_);
    return track::make_cuda_motion_estimator(upright_, wait, copies_);
  }

  const Device device_;
  const detector::CudaDetectorFactory* const detectors_;
  const StreamLayout layout_;
  const Size size_;
  const Size upright_;
  const bool host_motion_;
  const cuda::Event::Wait wait_;
  CopyCounter& copies_;
  WaitingPictures pictures_;
  std::once_flag second_looker_made_;
  std::shared_ptr<SecondLooker> second_looker_;  // nullptr if there are no second looks
};

}  // namespace

std::unique_ptr<HidingDevice> make_cuda_hiding_device(
    const ProcessorSetup& setup, Device device, const detector::CudaDetectorFactory* detectors) {
  return std::make_unique<CudaHidingDevice>(setup, device, detectors);
}

}  // namespace facepipe::pipeline
