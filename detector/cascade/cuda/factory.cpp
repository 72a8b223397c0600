#include "detector/cascade/cuda/factory.h"

#include <string>
#include <utility>

#include "core/cuda/devices.h"
#include "detector/cascade/cuda/cascade_detector.h"
#include "detector/cascade/family.h"
#include "detector/cascade/levels.h"
#include "detector/cascade/model/cascade.h"
#include "detector/cuda_looks_detector.h"

namespace facepipe::detector::cascade {
namespace {

class CudaCascadeDetectorFactory final : public CudaDetectorFactory {
 public:
  CudaCascadeDetectorFactory(EngineChoice choice, Cascade model, Device device,
                             DetectorOptions options)
      : CudaDetectorFactory(std::move(choice), std::string(kFamily.name), model.sha256,
                            kFamily.traits.finds_landmarks, {FoundClass{}},
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
          return make_cuda_cascade_detector(model_, seen,
                                            {.levels = level_options(options_),
                                             .score_threshold = options_.score_threshold,
                                             .capacity = capacity,
                                             .every_window = options_.every_window});
        });
  }

 private:
  Device device_;
  DetectorOptions options_;
  Cascade model_;
};

}  // namespace

std::unique_ptr<CudaDetectorFactory> make_cuda_factory(const EngineChoice& choice, Device device,
                                                       const DetectorOptions& options) {
  return std::make_unique<CudaCascadeDetectorFactory>(choice, read_cascade(options.model), device,
                                                      options);
}

}  // namespace facepipe::detector::cascade
