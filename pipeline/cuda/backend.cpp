#include "pipeline/cuda/backend.h"

#include <string>

#include "detector/cuda_detector.h"
#include "pipeline/cuda/stages.h"

namespace facepipe {
namespace {

class CudaBackend final : public Backend {
 public:
  CudaBackend(Device device, const DetectorOptions& options)
      : device_(device),
        requests_(options.requests),
        detectors_(make_cuda_detector_factory(device, options)) {}

  std::unique_ptr<Stages> stages(const JobOptions& options) override {
    return make_cuda_stages(options, device_, *detectors_, requests_);
  }
  [[nodiscard]] const EngineChoice& choice() const override { return detectors_->choice(); }
  [[nodiscard]] std::string model_kind() const override { return detectors_->model_kind(); }
  [[nodiscard]] std::string model_sha256() const override { return detectors_->model_sha256(); }

 private:
  Device device_;
  int requests_;
  std::unique_ptr<CudaDetectorFactory> detectors_;
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(Device device, const DetectorOptions& options) {
  return std::make_unique<CudaBackend>(device, options);
}

}  // namespace facepipe
