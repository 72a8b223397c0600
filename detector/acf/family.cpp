#include "detector/acf/family.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/workers.h"
#include "detector/acf/cpu/acf_detector.h"
#include "detector/acf/pyramid.h"
#include "detector/keeping_factory.h"

namespace facepipe::detector::acf {
namespace {

class AcfDetectorFactory final : public KeepingFactory {
 public:
  AcfDetectorFactory(const EngineChoice& choice, Model model, const DetectorOptions& options)
      : KeepingFactory(choice, std::string(kFamily.name), model.sha256,
                       kFamily.traits.finds_landmarks, options, {FoundClass{model.class_name}}),
        model_(std::make_shared<const Model>(std::move(model))),
        octaves_up_(octaves_up(*model_, options.min_face)),
        workers_(std::make_shared<Workers>(this->options().threads)) {}

 private:
  // A detector needs memory for LUV, and for the channels of all scales.
  [[nodiscard]] std::int64_t pixels_for(Size frame, float /*scale*/) const override {
    return (std::int64_t{4} * frame.width * frame.height) << (2 * octaves_up_);
  }

  [[nodiscard]] std::shared_ptr<Detector> make(Size frame, float /*scale*/, int requests) override {
    return make_acf_detector(model_, workers_, frame,
                             {.sizes = {options().min_face, options().max_face},
                              .score_threshold = options().score_threshold,
                              .requests = requests});
  }

  std::shared_ptr<const Model> model_;
  int octaves_up_;
  std::shared_ptr<Workers> workers_;
};

std::unique_ptr<DetectorFactory> make_factory(const EngineChoice& choice, const Device& /*device*/,
                                              const DetectorOptions& options) {
  return std::make_unique<AcfDetectorFactory>(choice, read_model_for(options), options);
}

std::string files() { return "channel features in JSON"; }

std::vector<std::string> classes(const DetectorOptions& options) {
  return {read_model(options.model).class_name};
}

std::vector<EngineSupport> supported(DeviceKind /*device*/) {
  return {{Library::acf, {Precision::f32}, {}}};
}

constexpr std::array kEngines{
    EngineRow{"acf", DeviceKind::cpu, Library::acf, Precision::f32},
    EngineRow{"acf", DeviceKind::cuda, Library::acf, Precision::f32},
};

}  // namespace

constinit const Family kFamily{
    .name = "acf",
    .traits = {.name = "channel features", .plural = "channel features", .misses_many_faces = true},
    .engines = kEngines,
    .files = files,
    .owns = is_json_file,
    .supported = supported,
    .make_factory = make_factory,
    .classes = classes,
};

Model read_model_for(const DetectorOptions& options) {
  Model model = read_model(options.model);
  if (octaves_up(model, options.min_face) > kMostOctavesUp) {
    const int side = std::min(model.object.width, model.object.height);
    const int least = (side + (1 << kMostOctavesUp) - 1) >> kMostOctavesUp;
    throw Error(ErrorKind::usage, "model " + options.model.string() +
                                      ": --min-face must be 0, or at least " +
                                      std::to_string(least) +
                                      ", because pictures are enlarged to at most four times their "
                                      "size");
  }
  return model;
}

}  // namespace facepipe::detector::acf
