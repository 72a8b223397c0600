#include "detector/detector.h"
#include "detector/families.h"

namespace facepipe::detector {

std::unique_ptr<DetectorFactory> make_detector_factory(const Device& device,
                                                       const DetectorOptions& options) {
  const Family& family = family_of(options.model);
  return family.make_factory(choose_engine(family, device, options), device, options);
}

}  // namespace facepipe::detector
