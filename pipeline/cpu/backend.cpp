#include "pipeline/backend.h"

#include <utility>

namespace facepipe {
namespace {

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(std::unique_ptr<DetectorFactory> detectors)
      : detectors_(std::move(detectors)) {}

  std::unique_ptr<Stages> stages(const JobOptions& options) override {
    return make_cpu_stages(options, *detectors_);
  }
  [[nodiscard]] const EngineChoice& choice() const override { return detectors_->choice(); }
  [[nodiscard]] std::string model_kind() const override { return detectors_->model_kind(); }
  [[nodiscard]] std::string model_sha256() const override { return detectors_->model_sha256(); }

 private:
  std::unique_ptr<DetectorFactory> detectors_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(std::unique_ptr<DetectorFactory> detectors) {
  return std::make_unique<CpuBackend>(std::move(detectors));
}

}  // namespace facepipe
