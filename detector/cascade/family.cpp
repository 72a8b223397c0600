#include "detector/cascade/family.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/workers.h"
#include "detector/cascade/cpu/cascade_detector.h"
#include "detector/cascade/cpu/scan.h"
#include "detector/cascade/model/cascade.h"
#include "detector/cascade/packaged.h"
#include "detector/keeping_factory.h"

namespace facepipe::detector::cascade {
namespace {

class CascadeDetectorFactory final : public KeepingFactory {
 public:
  CascadeDetectorFactory(const EngineChoice& choice, Cascade model, const DetectorOptions& options)
      : KeepingFactory(choice, std::string(kFamily.name), model.sha256,
                       kFamily.traits.finds_landmarks, options),
        scanner_(std::make_shared<const Scanner>(std::move(model))),
        workers_(std::make_shared<Workers>(this->options().threads)) {}

 private:
  // A detector needs memory for a batch of levels.
  [[nodiscard]] std::int64_t pixels_for(Size frame, float /*scale*/) const override {
    constexpr std::int64_t kLevels = 6;
    return kLevels * frame.width * frame.height;
  }

  [[nodiscard]] std::shared_ptr<Detector> make(Size frame, float /*scale*/, int requests) override {
    return make_cascade_detector(scanner_, workers_, frame,
                                 {.levels = level_options(options()),
                                  .score_threshold = options().score_threshold,
                                  .every_window = options().every_window,
                                  .requests = requests});
  }

  std::shared_ptr<const Scanner> scanner_;
  std::shared_ptr<Workers> workers_;
};

std::unique_ptr<DetectorFactory> make_factory(const EngineChoice& choice, const Device& /*device*/,
                                              const DetectorOptions& options) {
  return std::make_unique<CascadeDetectorFactory>(choice, read_cascade(options.model), options);
}

std::string files() { return "a cascade in OpenCV's XML"; }

std::vector<std::string> classes(const DetectorOptions& /*options*/) { return {"face"}; }

std::vector<EngineSupport> supported(DeviceKind /*device*/) {
  return {{Library::cascade, {Precision::f32}, {}}};
}

PackagedModels packaged() {
  return {kPackagedFolder, "Debian: opencv-data", describe_cascades_in(kPackagedFolder)};
}

constexpr std::array kEngines{
    EngineRow{"cascade", DeviceKind::cpu, Library::cascade, Precision::f32},
    EngineRow{"cascade", DeviceKind::cuda, Library::cascade, Precision::f32},
};

}  // namespace

constinit const Family kFamily{
    .name = "cascade",
    .traits = {.name = "a cascade",
               .plural = "cascades",
               .misses_many_faces = true,
               .takes = {.scale_factor = true, .every_window = true}},
    .engines = kEngines,
    .files = files,
    .owns = is_xml_file,
    .supported = supported,
    .make_factory = make_factory,
    .classes = classes,
    .packaged = packaged,
};

}  // namespace facepipe::detector::cascade
