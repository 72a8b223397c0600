#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "detector/acf/cuda/factory.h"
#include "detector/acf/family.h"
#include "detector/cascade/cuda/factory.h"
#include "detector/cascade/family.h"
#include "detector/cnn/cuda/factory.h"
#include "detector/cnn/family.h"
#include "detector/cuda_detector.h"
#include "detector/cuda_looks_detector.h"
#include "detector/families.h"
#include "detector/joined_models.h"
#include "detector/models.h"

namespace facepipe::detector {
namespace {

/// Says how a family's factory is made on a CUDA device. This isn't in Family, because builds
/// without CUDA also have the families.
struct CudaFamily {
  const Family* family;
  std::unique_ptr<CudaDetectorFactory> (*make_factory)(const EngineChoice& choice, Device device,
                                                       const DetectorOptions& options);
};
constexpr std::array kCudaFamilies{
    CudaFamily{&kCnnFamily, make_cuda_cnn_factory},
    CudaFamily{&cascade::kFamily, cascade::make_cuda_factory},
    CudaFamily{&acf::kFamily, acf::make_cuda_factory},
};

using Factories = std::vector<std::unique_ptr<CudaDetectorFactory>>;

/// Makes detectors that search each frame with several models, one after the other, in one stream.
class CudaJoiningFactory final : public CudaDetectorFactory {
 public:
  explicit CudaJoiningFactory(Factories models)
      : CudaDetectorFactory(joined_info(models)), models_(std::move(models)) {}

  [[nodiscard]] std::shared_ptr<const CudaDetector> detector(const StreamLayout& layout,
                                                             std::uint32_t capacity,
                                                             Tuning tuning) const override {
    return make_cuda_joining_detector(
        looks_of_models<CudaLook>(models_, [&](const CudaDetectorFactory& model) {
          return model.detector(layout, capacity, tuning);
        }));
  }

 private:
  Factories models_;
};

std::unique_ptr<CudaDetectorFactory> make_one(Device device, const DetectorOptions& options) {
  const Family& family = family_of(options.model);
  const EngineChoice choice = choose_engine(family, device, options);
  const auto* const found = std::ranges::find(kCudaFamilies, &family, &CudaFamily::family);
  if (found == kCudaFamilies.end() || works_in_host_memory(device.kind, choice.library))
    throw Error(ErrorKind::internal,
                "engine " + std::string(choice.name()) + ": can't read frames in device memory");
  return found->make_factory(choice, device, options);
}

}  // namespace

std::unique_ptr<CudaDetectorFactory> make_cuda_detector_factory(Device device,
                                                                const DetectorOptions& options) {
  Factories models;
  for (const DetectorOptions& model : models_of(options)) models.push_back(make_one(device, model));
  if (models.size() == 1) return std::move(models.front());
  return std::make_unique<CudaJoiningFactory>(std::move(models));
}

}  // namespace facepipe::detector
