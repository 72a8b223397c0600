#include "pipeline/cuda/backend.h"

#include <string>

#include "core/cuda/buffer.h"
#include "core/cuda/devices.h"
#include "core/cuda/graph.h"
#include "core/error.h"
#include "detector/cnn/cuda/cuda_detector.h"
#include "detector/cnn/model/model.h"
#include "pipeline/cuda/stages.h"

namespace facepipe {
namespace {

/// Plans the model for a small picture, so that one that the engine can't compute, or a chip that
/// this build has no code for, is refused before any input is opened.
void try_model(const Model& model) {
  constexpr Size kPicture{64, 64};
  PixelFormat nv12;
  nv12.semi_planar = true;
  CudaDetection detection(std::make_shared<const CudaDetector>(
      model, fit_network(kPicture, {}), StreamLayout{kPicture, nv12, {}}, CudaDetectorOptions{}));
  const cuda::DeviceBuffer<FrameDescriptor> descriptor(1);
  const cuda::Stream stream;
  static_cast<void>(cuda::capture(stream, [&] { detection.enqueue(descriptor.data(), stream); }));
}

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
    try_model(model_);
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
