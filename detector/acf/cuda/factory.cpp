#include "detector/acf/cuda/factory.h"

#include <string>
#include <utility>

#include "core/cuda/devices.h"
#include "detector/acf/cuda/acf_detector.h"
#include "detector/acf/family.h"
#include "detector/acf/model/acf.h"
#include "detector/cuda_looks_detector.h"

namespace facepipe::detector::acf {
namespace {

class CudaAcfDetectorFactory final : public CudaDetectorFactory {
 public:
  CudaAcfDetectorFactory(EngineChoice choice, Model model, Device device, DetectorOptions options)
      : CudaDetectorFactory(std::move(choice), std::string(kFamily.name), model.sha256,
                            kFamily.traits.finds_landmarks, {FoundClass{model.class_name}},
                            about_file(options.model)),
        device_(device),
        options_(with_defaults(std::move(options), about())),
        model_(std::move(model)) {
    // This detector is only a test: it refuses what the device can't compute, before any input is
    // opened.
    static_cast<void>(detector(kTrialLayout, 1, Tuning::none));
  }

  [[nodiscard]] std::shared_ptr<const CudaDetector> detector(const StreamLayout& layout,
                                                             std::uint32_t capacity,
                                                             Tuning /*tuning*/) const override {
    cuda::use_device(device_);
    return make_cuda_looks(
        looks_of(options_), layout, [&](const StreamLayout& seen, float /*scale*/) {
          return make_cuda_acf_detector(model_, seen,
                                        {.sizes = {options_.min_face, options_.max_face},
                                         .score_threshold = options_.score_threshold,
                                         .capacity = capacity});
        });
  }

 private:
  Device device_;
  DetectorOptions options_;
  Model model_;
};

}  // namespace

std::unique_ptr<CudaDetectorFactory> make_cuda_factory(const EngineChoice& choice, Device device,
                                                       const DetectorOptions& options) {
  return std::make_unique<CudaAcfDetectorFactory>(choice, read_model_for(options), device, options);
}

}  // namespace facepipe::detector::acf
