#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/error.h"
#include "detector/acf/cuda/factory.h"
#include "detector/acf/family.h"
#include "detector/cascade/cuda/factory.h"
#include "detector/cascade/family.h"
#include "detector/cnn/cuda/factory.h"
#include "detector/cnn/family.h"
#include "detector/cuda_detector.h"
#include "detector/families.h"
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

}  // namespace

std::unique_ptr<CudaDetectorFactory> make_cuda_detector_factory(Device device,
                                                                const DetectorOptions& options) {
  const std::vector<DetectorOptions> models = models_of(options);
  if (models.size() > 1)
    throw Error(ErrorKind::device, "several models search frames only on the CPU (--device cpu)");
  const DetectorOptions& of_model = models.front();
  const Family& family = family_of(of_model.model);
  const EngineChoice choice = choose_engine(family, device, of_model);
  const auto* const found = std::ranges::find(kCudaFamilies, &family, &CudaFamily::family);
  if (found == kCudaFamilies.end() || works_in_host_memory(device.kind, choice.library))
    throw Error(ErrorKind::internal,
                "engine " + std::string(choice.name()) + ": can't read frames in device memory");
  return found->make_factory(choice, device, of_model);
}

}  // namespace facepipe::detector
