#include <algorithm>
#include <cstdint>
#include <mutex>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/recently_used.h"
#include "detector/cnn/cpu/cnn_detector.h"
#include "detector/cnn/cpu/engine.h"
#include "detector/cnn/cpu/tiled_detector.h"
#include "detector/cnn/model/model.h"
#include "detector/detector.h"

namespace facepipe {
namespace {

// Enough for a stream that switches between a few sizes; each holds a compiled network.
constexpr std::size_t kKeptDetectors = 4;
// Of their networks' inputs together: memory goes with it.
constexpr std::int64_t kKeptPixels = kLargestUntiled;

// Two runs at once take the memory of both: only up to the pictures of 4K video.
constexpr std::int64_t kLargestAtOnce = std::int64_t{9} << 20;

std::int64_t pixels(const NetworkFit& fit) {
  return std::int64_t{fit.network.width} * fit.network.height;
}

// OpenCV counts what affinity and control groups leave to this process.
int usable_cores() { return std::max(1, cv::getNumberOfCPUs()); }

class CnnDetectorFactory final : public DetectorFactory {
 public:
  CnnDetectorFactory(EngineChoice choice, Model model, DetectorOptions options)
      : DetectorFactory(std::move(choice), std::string(model.known().name), model.sha256()),
        options_(std::move(options)),
        model_(std::move(model)) {
    if (options_.requests < 1)
      throw Error(ErrorKind::usage, "detector: at least one request is needed");
    if (options_.threads < 0) throw Error(ErrorKind::usage, "detector: threads must be 0 or more");
    if (options_.threads == 0) options_.threads = usable_cores();
  }

  std::shared_ptr<Detector> detector(Size frame) override {
    const std::scoped_lock lock(mutex_);
    if (const auto* const known = kept_.find(frame)) return *known;
    const std::optional<Tiling> tiling = tiling_for(frame, options_.detect_size);
    const NetworkFit fit = tiling ? tiling->whole : fit_network(frame, options_.detect_size);
    const std::int64_t size = pixels(fit) + (tiling ? pixels(tiling->tile) : 0);
    kept_.keep_at_most(kKeptDetectors - 1, kKeptPixels - size);  // before there is one more
    std::shared_ptr<Detector> made = tiling ? make_tiled(*tiling) : make_whole(fit);
    kept_.add(frame, made, size);
    return made;
  }

 private:
  [[nodiscard]] std::shared_ptr<Detector> make_whole(const NetworkFit& fit) const {
    return make(fit, options_.requests, pixels(fit) > kLargestAtOnce ? 1 : options_.requests);
  }

  [[nodiscard]] std::shared_ptr<Detector> make_tiled(const Tiling& tiling) const {
    // One run at a time, by all threads; the next tile is prepared meanwhile.
    return make_tiled_detector(tiling, make(tiling.tile, 2, 1), make(tiling.whole, 1, 1));
  }

  [[nodiscard]] std::shared_ptr<Detector> make(const NetworkFit& fit, int requests,
                                               int runs) const {
    const EngineOptions engine{choice().precision, options_.threads, runs};
    return make_cnn_detector({
        .fit = fit,
        .order = model_.channel_order(),
        .outputs = model_.outputs().size(),
        .engine = make_engine(choice().library, model_, fit.network, engine),
        .head = model_.known().decode,
        .score_threshold = options_.score_threshold,
        .requests = requests,
    });
  }

  DetectorOptions options_;
  Model model_;
  std::mutex mutex_;                                    // guards kept_
  RecentlyUsed<Size, std::shared_ptr<Detector>> kept_;  // by the frames that they are for
};

}  // namespace

std::unique_ptr<DetectorFactory> make_detector_factory(const Device& device,
                                                       const DetectorOptions& options) {
  EngineChoice choice = choose_engine(device, options);
  return std::make_unique<CnnDetectorFactory>(std::move(choice), Model(options.model), options);
}

}  // namespace facepipe
