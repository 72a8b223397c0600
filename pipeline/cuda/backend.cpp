#include "pipeline/cuda/backend.h"

#include <string>

#include "core/cuda/devices.h"
#include "core/error.h"
#include "detector/model.h"
#include "pipeline/cuda/stages.h"

namespace facepipe {
namespace {

class CudaBackend final : public Backend {
 public:
  CudaBackend(Device device, const DetectorOptions& options)
      : device_(device),
        options_(options),
        choice_(choose_engine(device, options)),
        model_(options.model) {
    if (options_.requests < 1)
      throw Error(ErrorKind::usage, "detector: at least one request is needed");
    cuda::use_device(device_);
  }

  std::unique_ptr<Stages> stages(const JobOptions& options) override {
    return make_cuda_stages(options, device_, model_, options_);
  }
  [[nodiscard]] const EngineChoice& choice() const override { return choice_; }
  [[nodiscard]] std::string model_kind() const override {
    return std::string(to_string(model_.kind()));
  }
  [[nodiscard]] std::string model_sha256() const override { return model_.sha256(); }

 private:
  Device device_;
  DetectorOptions options_;
  EngineChoice choice_;
  Model model_;
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(Device device, const DetectorOptions& options) {
  return std::make_unique<CudaBackend>(device, options);
}

}  // namespace facepipe
