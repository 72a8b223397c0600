#include <algorithm>
#include <cstdint>
#include <mutex>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/recently_used.h"
#include "core/workers.h"
#include "detector/acf/cpu/acf_detector.h"
#include "detector/acf/model/acf.h"
#include "detector/acf/pyramid.h"
#include "detector/cascade/cpu/cascade_detector.h"
#include "detector/cascade/cpu/scan.h"
#include "detector/cascade/model/cascade.h"
#include "detector/cnn/cpu/cnn_detector.h"
#include "detector/cnn/cpu/engine.h"
#include "detector/cnn/cpu/tiled_detector.h"
#include "detector/cnn/model/i8_ranges.h"
#include "detector/cnn/model/model.h"
#include "detector/detector.h"

namespace facepipe::detector {
namespace {

// This is enough for a stream that switches between a few sizes. Each detector holds a compiled
// network.
constexpr std::size_t kKeptDetectors = 4;
// Most pixels that the inputs of all kept networks have together. Memory grows with them.
constexpr std::int64_t kKeptPixels = kLargestUntiled;

// Two runs at once take the memory of both. So only pictures up to those of 4K video run at once.
constexpr std::int64_t kLargestAtOnce = std::int64_t{9} << 20;

std::int64_t pixels(const NetworkFit& fit) {
  return std::int64_t{fit.network.width} * fit.network.height;
}

// The factory tries this size before any input is opened, to see what a device can compute.
constexpr Size kTrial{64, 64};

// OpenCV counts the cores that affinity and control groups leave to this process.
int usable_cores() { return std::max(1, cv::getNumberOfCPUs()); }

/// All factories keep their detectors by the size of the frames that they are for.
class KeepingFactory : public DetectorFactory {
 public:
  KeepingFactory(EngineChoice choice, std::string kind, std::string sha256, bool finds_landmarks,
                 DetectorOptions options, std::string class_name = "face")
      : DetectorFactory(std::move(choice), std::move(kind), std::move(sha256), finds_landmarks,
                        std::move(class_name)),
        options_(std::move(options)) {
    if (options_.requests < 1)
      throw Error(ErrorKind::usage, "detector: at least one request is needed");
    if (options_.threads < 0) throw Error(ErrorKind::usage, "detector: threads must be 0 or more");
    if (options_.threads == 0) options_.threads = usable_cores();
  }

  std::shared_ptr<Detector> detector(Size frame) override {
    const std::scoped_lock lock(mutex_);
    if (const auto* const known = kept_.find(frame)) return *known;
    const std::int64_t size = pixels_for(frame);
    kept_.keep_at_most(kKeptDetectors - 1, kKeptPixels - size);  // makes room for one more
    std::shared_ptr<Detector> made = make(frame);
    kept_.add(frame, made, size);
    return made;
  }

 protected:
  [[nodiscard]] const DetectorOptions& options() const { return options_; }

  /// Returns how many pixels the pictures have that such a detector has memory for.
  [[nodiscard]] virtual std::int64_t pixels_for(Size frame) const = 0;
  [[nodiscard]] virtual std::shared_ptr<Detector> make(Size frame) = 0;

 private:
  DetectorOptions options_;
  std::mutex mutex_;                                    // guards kept_
  RecentlyUsed<Size, std::shared_ptr<Detector>> kept_;  // by the size of the frames
};

/// Returns null if the precision isn't i8.
std::shared_ptr<const I8Ranges> ranges_for(const EngineChoice& choice, const Model& model) {
  if (choice.precision != Precision::i8) return nullptr;
  return std::make_shared<const I8Ranges>(find_i8_ranges(model));
}

/// Adds to `why` where `ranges` come from, because no user names them.
EngineChoice with_ranges(EngineChoice choice, const I8Ranges* ranges) {
  if (ranges == nullptr) return choice;
  choice.why += (choice.why.empty() ? "" : "; ") + ("ranges for i8: " + ranges->origin);
  return choice;
}

class CnnDetectorFactory final : public KeepingFactory {
 public:
  CnnDetectorFactory(const EngineChoice& choice, const Model& model, const Device& device,
                     const DetectorOptions& options)
      : CnnDetectorFactory(choice, model, device, options, ranges_for(choice, model)) {}

 private:
  CnnDetectorFactory(const EngineChoice& choice, const Model& model, const Device& device,
                     const DetectorOptions& options, std::shared_ptr<const I8Ranges> ranges)
      : KeepingFactory(with_ranges(choice, ranges.get()), std::string(model.known().name),
                       model.sha256(), true, options),
        model_(model),
        device_(device),
        ranges_(std::move(ranges)) {
    if (device_.kind == DeviceKind::cuda) static_cast<void>(engine(kTrial, 1));
  }

  [[nodiscard]] std::int64_t pixels_for(Size frame) const override {
    const std::optional<Tiling> tiling = tiling_for(frame, options().detect_size);
    return tiling ? pixels(tiling->whole) + pixels(tiling->tile)
                  : pixels(fit_network(frame, options().detect_size));
  }

  [[nodiscard]] std::shared_ptr<Detector> make(Size frame) override {
    if (const std::optional<Tiling> tiling = tiling_for(frame, options().detect_size))
      return make_tiled(*tiling);
    const NetworkFit fit = fit_network(frame, options().detect_size);
    const int requests = options().requests;
    return make(fit, requests, pixels(fit) > kLargestAtOnce ? 1 : requests);
  }

  [[nodiscard]] std::shared_ptr<Detector> make_tiled(const Tiling& tiling) const {
    // All threads work on one run at a time; the next tile is prepared meanwhile.
    return make_tiled_detector(tiling, make(tiling.tile, 2, 1), make(tiling.whole, 1, 1));
  }

  [[nodiscard]] std::shared_ptr<Detector> make(const NetworkFit& fit, int requests,
                                               int runs) const {
    return make_cnn_detector({
        .fit = fit,
        .order = model_.channel_order(),
        .outputs = model_.outputs().size(),
        .engine = engine(fit.network, runs),
        .head = model_.known().decode,
        .score_threshold = options().score_threshold,
        .requests = requests,
    });
  }

  [[nodiscard]] std::unique_ptr<Engine> engine(Size network, int runs) const {
    return make_engine(choice().library, model_, network,
                       {choice().precision, options().threads, runs, ranges_, device_});
  }

  Model model_;
  Device device_;
  std::shared_ptr<const I8Ranges> ranges_;
};

class CascadeDetectorFactory final : public KeepingFactory {
 public:
  CascadeDetectorFactory(EngineChoice choice, cascade::Cascade model,
                         const DetectorOptions& options)
      : KeepingFactory(std::move(choice), "cascade", model.sha256, false, options),
        scanner_(std::make_shared<const cascade::Scanner>(std::move(model))),
        workers_(std::make_shared<Workers>(this->options().threads)) {
    cv::setNumThreads(1);  // each of our own threads makes levels by itself
  }

 private:
  // A detector has memory for a batch of levels.
  [[nodiscard]] std::int64_t pixels_for(Size frame) const override {
    constexpr std::int64_t kLevels = 6;
    return kLevels * frame.width * frame.height;
  }

  [[nodiscard]] std::shared_ptr<Detector> make(Size frame) override {
    return cascade::make_cascade_detector(scanner_, workers_, frame,
                                          {.levels = cascade::level_options(options()),
                                           .score_threshold = options().score_threshold,
                                           .every_window = options().every_window,
                                           .requests = options().requests});
  }

  std::shared_ptr<const cascade::Scanner> scanner_;
  std::shared_ptr<Workers> workers_;
};

class AcfDetectorFactory final : public KeepingFactory {
 public:
  AcfDetectorFactory(EngineChoice choice, acf::Model model, const DetectorOptions& options)
      : KeepingFactory(std::move(choice), "acf", model.sha256, false, options, model.class_name),
        model_(std::make_shared<const acf::Model>(std::move(model))),
        octaves_up_(acf::octaves_up(*model_, options.min_face)),
        workers_(std::make_shared<Workers>(this->options().threads)) {}

 private:
  // A detector has memory for LUV, and for the channels of all scales.
  [[nodiscard]] std::int64_t pixels_for(Size frame) const override {
    return (std::int64_t{4} * frame.width * frame.height) << (2 * octaves_up_);
  }

  [[nodiscard]] std::shared_ptr<Detector> make(Size frame) override {
    return acf::make_acf_detector(model_, workers_, frame,
                                  {.sizes = {options().min_face, options().max_face},
                                   .score_threshold = options().score_threshold,
                                   .requests = options().requests});
  }

  std::shared_ptr<const acf::Model> model_;
  int octaves_up_;
  std::shared_ptr<Workers> workers_;
};

/// Throws "model FILE: REASON".
[[noreturn]] void refuse(ErrorKind kind, const DetectorOptions& options,
                         const std::string& reason) {
  throw Error(kind, "model " + options.model.string() + ": " + reason);
}

/// Checks the options of a model that is no network. `what` names its kind; only `library` computes
/// it.
void check_options_of(Library library, const std::string& what, const DetectorOptions& options) {
  if (options.library && *options.library != library)
    refuse(ErrorKind::usage, options,
           "engine " + std::string(engine_name(*options.library, options.fused)) +
               " can't compute " + what);
  if (options.detect_size)
    refuse(ErrorKind::usage, options,
           "--detect-size doesn't work with " + what + "; --min-face makes it faster");
}

EngineChoice choose_engine_of(Library library, const Device& device, DetectorOptions options) {
  options.library = library;
  return choose_engine(device, options);
}

}  // namespace

std::optional<Library> library_of(const std::filesystem::path& model) {
  if (cascade::is_xml_file(model)) return Library::cascade;
  if (acf::is_json_file(model)) return Library::acf;
  return std::nullopt;
}

EngineChoice choose_acf_engine(const Device& device, const DetectorOptions& options) {
  const std::string what = "channel features";
  check_options_of(Library::acf, what, options);
  if (options.scale_factor)
    refuse(ErrorKind::usage, options,
           "--scale-factor doesn't work with " + what + ", only with a cascade");
  return choose_engine_of(Library::acf, device, options);
}

acf::Model read_acf_model(const DetectorOptions& options) {
  acf::Model model = acf::read_model(options.model);
  if (acf::octaves_up(model, options.min_face) > acf::kMostOctavesUp) {
    const int side = std::min(model.object.width, model.object.height);
    const int least = (side + (1 << acf::kMostOctavesUp) - 1) >> acf::kMostOctavesUp;
    refuse(ErrorKind::usage, options,
           "--min-face must be 0, or at least " + std::to_string(least) +
               ", because pictures are enlarged to at most four times their size");
  }
  return model;
}

EngineChoice choose_cascade_engine(const Device& device, const DetectorOptions& options) {
  check_options_of(Library::cascade, "a cascade", options);
  return choose_engine_of(Library::cascade, device, options);
}

void check_network_options(const DetectorOptions& options) {
  if (options.library == Library::cascade)
    refuse(ErrorKind::usage, options, "engine cascade computes only cascades");
  if (options.library == Library::acf)
    refuse(ErrorKind::usage, options, "engine acf computes only channel features");
  if (options.scale_factor)
    refuse(ErrorKind::usage, options, "--scale-factor works only with a cascade");
}

std::unique_ptr<DetectorFactory> make_detector_factory(const Device& device,
                                                       const DetectorOptions& options) {
  const std::optional<Library> library = library_of(options.model);
  if (library == Library::cascade)
    return std::make_unique<CascadeDetectorFactory>(choose_cascade_engine(device, options),
                                                    cascade::read_cascade(options.model), options);
  if (library == Library::acf)
    return std::make_unique<AcfDetectorFactory>(choose_acf_engine(device, options),
                                                read_acf_model(options), options);
  check_network_options(options);
  const EngineChoice choice = choose_engine(device, options);
  return std::make_unique<CnnDetectorFactory>(choice, Model(options.model), device, options);
}

}  // namespace facepipe::detector
