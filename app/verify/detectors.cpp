#include "app/verify/detectors.h"

#include <spdlog/spdlog.h>

#include "app/model_path.h"
#include "app/output/model_licence.h"
#include "core/error.h"
#include "detector/families.h"

namespace facepipe::app {

VerifyDetectors::VerifyDetectors(const VerifyOptions& options, Size size)
    // verify has looks of its own
    : options_(detector::with_one_look(options.detector, verify::kVerifyLeastScore)) {
  find_models(options_, program_directory());
  options_.requests = 1;
  options_.score_threshold = options.score.value_or(detector::kOnlyWeakOnes);
  const Size usual = options_.detect_size.value_or(size);
  add({});
  const std::vector<detector::ModelInfo> models = each_of(model_info());
  warn_of_unused_models(options_, models);
  warn_of_licences(models, models.front().about().file);
  for (const detector::ModelInfo& model : models) check(model);
  if (const std::optional<Size> reduced = verify::reduced_size(usual)) add(reduced);
  if (options.quick) return;
  add_mirrored();
  if (const std::optional<Size> enlarged = verify::enlarged_size(usual))
    add(enlarged);
  else
    spdlog::info("verify looks at no enlarged pictures: 1.5 times {} is too large",
                 to_string(usual));
}

/// Refuses a model that misses too many faces to prove anything.
void VerifyDetectors::check(const detector::ModelInfo& model) {
  const detector::DetectorTraits& traits = detector::family_of(model.choice().library).traits;
  if (!traits.misses_many_faces) return;
  throw Error(ErrorKind::usage, "model " + model.about().file.string() + ": " +
                                    std::string(traits.name) + ", which " +
                                    (traits.is_plural() ? "miss" : "misses") +
                                    " too many faces to prove that none is left");
}

/// Adds a detection pass over pictures of the usual size, or of `size`.
void VerifyDetectors::add(std::optional<Size> size) {
  detector::DetectorOptions options = options_;
  if (size) options.detect_size = size;
  factories_.push_back(detector::make_detector_factory(Device{}, options));
  looks_.push_back({factories_.back().get(), false});
}

/// For all passes added so far, adds the same pass over the mirrored picture.
void VerifyDetectors::add_mirrored() {
  for (const auto& factory : factories_) looks_.push_back({factory.get(), true});
}

}  // namespace facepipe::app
