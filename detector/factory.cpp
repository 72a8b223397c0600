#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <opencv2/core.hpp>
#include <utility>
#include <vector>

#include "core/machine.h"
#include "detector/detector.h"
#include "detector/families.h"
#include "detector/joined_models.h"
#include "detector/looks_detector.h"
#include "detector/models.h"

namespace facepipe::detector {
namespace {

using Factories = std::vector<std::unique_ptr<DetectorFactory>>;

/// Makes detectors that search each frame with several models, one after the other.
class JoiningFactory final : public DetectorFactory {
 public:
  explicit JoiningFactory(Factories models)
      : DetectorFactory(joined_info(models)), models_(std::move(models)) {}

  std::shared_ptr<Detector> detector(Size frame) override {
    const std::scoped_lock lock(mutex_);
    std::erase_if(made_, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<Detector>& made = made_[{frame.width, frame.height}];
    if (std::shared_ptr<Detector> known = made.lock()) return known;
    std::shared_ptr<Detector> joined = make_looks_detector(looks_of_models<LookAt>(
        models_, [&](DetectorFactory& model) { return model.detector(frame); }));
    made = joined;
    return joined;
  }

 private:
  Factories models_;
  std::mutex mutex_;  // guards made_
  // By width and height of the frames. The models' factories keep the parts. All who ask for one
  // size get the same detector, by which they see that they share its places.
  std::map<std::pair<int, int>, std::weak_ptr<Detector>> made_;
};

/// A model, and what computes it.
struct Chosen {
  DetectorOptions options;
  const Family* family;
  EngineChoice engine;
};

Chosen choose(const Device& device, const DetectorOptions& options) {
  const Family& family = family_of(options.model);
  return {options, &family, choose_engine(family, device, options)};
}

/// Sets the number of OpenCV's threads, which the whole process has in common. A network in
/// OpenCV's engine needs all of them. A cascade needs one, because each of its own threads makes a
/// level by itself. No other detector depends on this number.
void set_opencv_threads(const std::vector<Chosen>& models, int threads) {
  const auto computes = [&](Library library) {
    return std::ranges::any_of(
        models, [&](const Chosen& model) { return model.engine.library == library; });
  };
  if (computes(Library::opencv))
    cv::setNumThreads(threads > 0 ? threads : usable_processors());
  else if (computes(Library::cascade))
    cv::setNumThreads(1);
}

}  // namespace

std::unique_ptr<DetectorFactory> make_detector_factory(const Device& device,
                                                       const DetectorOptions& options) {
  std::vector<Chosen> chosen;
  for (const DetectorOptions& model : models_of(options)) chosen.push_back(choose(device, model));
  set_opencv_threads(chosen, options.threads);
  Factories models;
  for (const Chosen& model : chosen)
    models.push_back(model.family->make_factory(model.engine, device, model.options));
  if (models.size() == 1) return std::move(models.front());
  return std::make_unique<JoiningFactory>(std::move(models));
}

}  // namespace facepipe::detector
