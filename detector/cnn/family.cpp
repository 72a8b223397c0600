#include "detector/cnn/family.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "detector/cnn/cpu/cnn_detector.h"
#include "detector/cnn/cpu/engine.h"
#include "detector/cnn/cpu/tiled_detector.h"
#include "detector/cnn/model/card/card.h"
#include "detector/cnn/model/fit_into.h"
#include "detector/cnn/model/i8_ranges.h"
#include "detector/cnn/model/model.h"
#include "detector/keeping_factory.h"
#include "detector/tiling.h"
#include "detector/words.h"

namespace facepipe::detector {
namespace {

// Two runs at the same time need memory for both. So only pictures up to the size of 4K video are
// computed at the same time.
constexpr std::int64_t kLargestAtOnce = std::int64_t{9} << 20;

std::int64_t pixels(const NetworkFit& fit) {
  return std::int64_t{fit.network.width} * fit.network.height;
}

// The factory tries this size before any input is opened, to see what a device can compute.
constexpr Size kTrial{64, 64};

/// Returns null if the precision isn't i8.
std::shared_ptr<const I8Ranges> ranges_for(const EngineChoice& choice, const Model& model) {
  if (choice.precision != Precision::i8) return nullptr;
  return std::make_shared<const I8Ranges>(find_i8_ranges(model));
}

/// Adds the origin of `ranges` to `why`, because users never name the ranges.
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
      : KeepingFactory(with_ranges(choice, ranges.get()), model.data().name, model.sha256(),
                       model.head().landmarks, options, classes_found_by(model.card()),
                       model.about()),
        model_(model),
        device_(device),
        ranges_(std::move(ranges)) {
    if (device_.kind == DeviceKind::cuda)
      static_cast<void>(engine(only_size().value_or(kTrial), 1));
  }

  [[nodiscard]] std::int64_t pixels_for(Size frame, float scale) const override {
    if (const auto& only = only_size()) return std::int64_t{only->width} * only->height;
    const std::optional<Size> size = size_of_look(frame, options().detect_size, scale);
    const std::optional<Tiling> tiling = tiling_for(frame, size, multiple());
    return tiling ? pixels(tiling->whole) + pixels(tiling->tile)
                  : pixels(fit_network(frame, size, multiple()));
  }

  [[nodiscard]] std::shared_ptr<Detector> make(Size frame, float scale, int requests) override {
    if (const auto& only = only_size())
      return make_untiled(fit_into(frame, *only, options().detect_size, scale), requests, requests);
    const std::optional<Size> size = size_of_look(frame, options().detect_size, scale);
    if (const std::optional<Tiling> tiling = tiling_for(frame, size, multiple()))
      return make_tiled(*tiling);
    const NetworkFit fit = fit_network(frame, size, multiple());
    return make_untiled(fit, requests, pixels(fit) > kLargestAtOnce ? 1 : requests);
  }

  [[nodiscard]] int multiple() const { return model_.data().input.multiple; }
  /// Returns the only size of the network's input, if there is one.
  [[nodiscard]] const std::optional<Size>& only_size() const { return model_.data().input.size; }

  [[nodiscard]] std::shared_ptr<Detector> make_tiled(const Tiling& tiling) const {
    // All threads work on one run at a time; the next tile is prepared meanwhile.
    return make_tiled_detector(tiling, make_untiled(tiling.tile, 2, 1),
                               make_untiled(tiling.whole, 1, 1));
  }

  [[nodiscard]] std::shared_ptr<Detector> make_untiled(const NetworkFit& fit, int requests,
                                                       int runs) const {
    return make_cnn_detector({
        .fit = fit,
        .input = model_.data().input,
        .engine = engine(fit.network, runs),
        .head = model_.head(),
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

std::unique_ptr<DetectorFactory> make_factory(const EngineChoice& choice, const Device& device,
                                              const DetectorOptions& options) {
  return std::make_unique<CnnDetectorFactory>(choice, read_network(options), device, options);
}

std::string files() { return "ONNX (" + any_of(network_titles()) + ")"; }

std::vector<std::string> classes(const DetectorOptions& options) {
  std::vector<std::string> names;
  for (const FoundClass& each : classes_found_by(Model(options.model, options.card).card()))
    names.push_back(each.name);
  return names;
}

// facepipe chooses f16 or bf16 for a user only if it is faster than f32. Both are as accurate as
// f32, as far as 135 images can tell (bench/results/wider_ap_openvino_*.txt). i8 is less accurate:
// it finds a few faces that f32 misses, and misses a few that f32 finds (precision_agreement_*.txt
// in the same folder). So facepipe uses i8 only if the user names it.
using enum DeviceKind;
constexpr std::array kEngines{
    EngineRow{"openvino", cpu, Library::openvino, Precision::f16},
    EngineRow{"openvino", cpu, Library::openvino, Precision::bf16},
    EngineRow{"openvino", cpu, Library::openvino, Precision::f32},
    EngineRow{"openvino", cpu, Library::openvino, Precision::i8},
    EngineRow{"opencv", cpu, Library::opencv, Precision::f32},
    EngineRow{"cuda", cuda, Library::native_cuda, Precision::f16},
    EngineRow{"cuda-plain", cuda, Library::native_cuda, Precision::f16, false},
    EngineRow{"opencv", cuda, Library::opencv, Precision::f32, true, true},
    EngineRow{"opencv", cuda, Library::opencv, Precision::f16, true, true},
};

}  // namespace

Model read_network(const DetectorOptions& options) {
  return Model(options.model, options.card, options.classes);
}

std::vector<FoundClass> classes_found_by(const Card& card) {
  std::vector<FoundClass> classes;
  for (const CardClass& each : card.classes)
    if (each.kind != ClassKind::ignore)
      classes.push_back({each.name, {}, each.score ? each.score : card.score, card.nms, each.grow});
  return classes;
}

constinit const Family kCnnFamily{
    .name = "cnn",
    .traits = {.name = "a network",
               .plural = "networks",
               .finds_landmarks = true,
               .takes = {.detect_size = true, .card = true}},
    .engines = kEngines,
    .files = files,
    .owns = nullptr,
    .supported = network_engines,
    .make_factory = make_factory,
    .classes = classes,
};

}  // namespace facepipe::detector
