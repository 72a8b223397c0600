#include <list>
#include <mutex>
#include <opencv2/core.hpp>
#include <utility>

#include "core/error.h"
#include "detector/cnn_detector.h"
#include "detector/detector.h"
#include "detector/engines.h"
#include "detector/model.h"
#include "detector/tiled_detector.h"

namespace facepipe {
namespace {

// Enough for a stream that switches between a few sizes; each holds a compiled network.
constexpr std::size_t kKeptDetectors = 4;

// OpenCV counts what affinity and control groups leave to this process.
int usable_cores() { return std::max(1, cv::getNumberOfCPUs()); }

class CnnDetectorFactory final : public DetectorFactory {
 public:
  CnnDetectorFactory(const Device& device, const DetectorOptions& options)
      : options_(options), choice_(choose_engine(device, options)), model_(options.model) {
    if (options_.requests < 1)
      throw Error(ErrorKind::usage, "detector: at least one request is needed");
    if (options_.threads < 0) throw Error(ErrorKind::usage, "detector: threads must be 0 or more");
    if (options_.threads == 0) options_.threads = usable_cores();
  }

  std::shared_ptr<Detector> detector(Size frame) override {
    const std::scoped_lock lock(mutex_);
    for (auto kept = kept_.begin(); kept != kept_.end(); ++kept) {
      if (kept->first != frame) continue;
      kept_.splice(kept_.begin(), kept_, kept);
      return kept_.front().second;
    }
    kept_.emplace_front(frame, make(frame));
    if (kept_.size() > kKeptDetectors) kept_.pop_back();
    return kept_.front().second;
  }

  [[nodiscard]] const EngineChoice& choice() const override { return choice_; }
  [[nodiscard]] std::string model_kind() const override {
    return std::string(to_string(model_.kind()));
  }
  [[nodiscard]] std::string model_sha256() const override { return model_.sha256(); }

 private:
  [[nodiscard]] std::shared_ptr<Detector> make(Size frame) const {
    const std::optional<Tiling> tiling = tiling_for(frame, options_.detect_size);
    if (!tiling)
      return make(fit_network(frame, options_.detect_size), options_.requests, options_.requests);
    // One run at a time, by all threads: each would need memory of its own.
    constexpr int kOneRun = 1;
    constexpr int kPreparedAhead = 2;
    return make_tiled_detector(*tiling, make(tiling->tile, kPreparedAhead, kOneRun),
                               make(tiling->whole, 1, kOneRun));
  }

  [[nodiscard]] std::shared_ptr<Detector> make(const NetworkFit& fit, int requests,
                                               int runs) const {
    const EngineOptions engine{choice_.precision, options_.threads, runs};
    return make_cnn_detector({
        .fit = fit,
        .order = model_.channel_order(),
        .outputs = model_.outputs().size(),
        .engine = make_engine(choice_.engine, model_, fit.network, engine),
        .head = make_head(model_.kind()),
        .score_threshold = options_.score_threshold,
        .requests = requests,
    });
  }

  DetectorOptions options_;
  EngineChoice choice_;
  Model model_;
  std::mutex mutex_;                                            // guards kept_
  std::list<std::pair<Size, std::shared_ptr<Detector>>> kept_;  // last used first
};

}  // namespace

std::unique_ptr<DetectorFactory> make_detector_factory(const Device& device,
                                                       const DetectorOptions& options) {
  return std::make_unique<CnnDetectorFactory>(device, options);
}

}  // namespace facepipe
