#include <optional>
#include <string>
#include <utility>

#include "core/cuda/buffer.h"
#include "core/cuda/devices.h"
#include "core/cuda/graph.h"
#include "core/error.h"
#include "detector/acf/cuda/acf_detector.h"
#include "detector/acf/model/acf.h"
#include "detector/cascade/cuda/cascade_detector.h"
#include "detector/cascade/model/cascade.h"
#include "detector/cnn/cuda/cnn_detector.h"
#include "detector/cnn/cuda/tile_chooser.h"
#include "detector/cnn/model/model.h"
#include "detector/cuda_detector.h"
#include "detector/detector.h"

namespace facepipe::detector {
namespace {

/// A small picture, with which the factories try what the device can compute.
constexpr StreamLayout kTrialLayout{{64, 64}, {.semi_planar = true}, {}};

class CudaCnnDetectorFactory final : public CudaDetectorFactory {
 public:
  CudaCnnDetectorFactory(EngineChoice choice, Model model, Device device, DetectorOptions options)
      : CudaDetectorFactory(std::move(choice), std::string(model.known().name), model.sha256(),
                            true),
        device_(device),
        options_(std::move(options)),
        model_(std::move(model)) {
    if (options_.requests < 1)
      throw Error(ErrorKind::usage, "detector: at least one request is needed");
    try_model();
  }

  [[nodiscard]] std::shared_ptr<const CudaDetector> detector(const StreamLayout& layout,
                                                             std::uint32_t capacity,
                                                             Tuning tuning) const override {
    cuda::use_device(device_);
    return make_cuda_cnn_detector(model_, layout, options_.detect_size,
                                  {.score_threshold = options_.score_threshold,
                                   .capacity = capacity,
                                   .tile_file = engine::default_tile_file(),
                                   .tries_tiles = tuning == Tuning::trials,
                                   .fused = choice().fused});
  }

 private:
  void try_model() const {
    cuda::use_device(device_);
    const auto detector =
        make_cuda_cnn_detector(model_, kTrialLayout, {}, {.fused = choice().fused});
    const auto detection = detector->make_detection();
    const cuda::DeviceBuffer<FrameDescriptor> descriptor(1);
    const cuda::Stream stream;
    static_cast<void>(
        cuda::capture(stream, [&] { detection->enqueue(descriptor.data(), stream); }));
  }

  Device device_;
  DetectorOptions options_;
  Model model_;
};

class CudaCascadeDetectorFactory final : public CudaDetectorFactory {
 public:
  CudaCascadeDetectorFactory(EngineChoice choice, cascade::Cascade model, Device device,
                             DetectorOptions options)
      : CudaDetectorFactory(std::move(choice), "cascade", model.sha256, false),
        device_(device),
        options_(std::move(options)),
        model_(std::move(model)) {
    // A trial refuses what the device can't compute, before any input is opened.
    static_cast<void>(detector(kTrialLayout, 1, Tuning::none));
  }

  [[nodiscard]] std::shared_ptr<const CudaDetector> detector(const StreamLayout& layout,
                                                             std::uint32_t capacity,
                                                             Tuning /*tuning*/) const override {
    cuda::use_device(device_);
    return cascade::make_cuda_cascade_detector(model_, layout,
                                               {.levels = cascade::level_options(options_),
                                                .score_threshold = options_.score_threshold,
                                                .capacity = capacity,
                                                .every_window = options_.every_window});
  }

 private:
  Device device_;
  DetectorOptions options_;
  cascade::Cascade model_;
};

class CudaAcfDetectorFactory final : public CudaDetectorFactory {
 public:
  CudaAcfDetectorFactory(EngineChoice choice, acf::Model model, Device device,
                         DetectorOptions options)
      : CudaDetectorFactory(std::move(choice), "acf", model.sha256, false, model.class_name),
        device_(device),
        options_(std::move(options)),
        model_(std::move(model)) {
    // A trial refuses what the device can't compute, before any input is opened.
    static_cast<void>(detector(kTrialLayout, 1, Tuning::none));
  }

  [[nodiscard]] std::shared_ptr<const CudaDetector> detector(const StreamLayout& layout,
                                                             std::uint32_t capacity,
                                                             Tuning /*tuning*/) const override {
    cuda::use_device(device_);
    return acf::make_cuda_acf_detector(model_, layout,
                                       {.sizes = {options_.min_face, options_.max_face},
                                        .score_threshold = options_.score_threshold,
                                        .capacity = capacity});
  }

 private:
  Device device_;
  DetectorOptions options_;
  acf::Model model_;
};

}  // namespace

std::unique_ptr<CudaDetectorFactory> make_cuda_detector_factory(Device device,
                                                                const DetectorOptions& options) {
  const std::optional<Library> library = library_of(options.model);
  if (library == Library::cascade)
    return std::make_unique<CudaCascadeDetectorFactory>(choose_cascade_engine(device, options),
                                                        cascade::read_cascade(options.model),
                                                        device, options);
  if (library == Library::acf)
    return std::make_unique<CudaAcfDetectorFactory>(choose_acf_engine(device, options),
                                                    read_acf_model(options), device, options);
  check_network_options(options);
  EngineChoice choice = choose_engine(device, options);
  if (works_in_host_memory(device.kind, choice.library))
    throw Error(ErrorKind::internal,
                "engine " + std::string(choice.name()) + ": can't read frames in device memory");
  return std::make_unique<CudaCnnDetectorFactory>(std::move(choice), Model(options.model), device,
                                                  options);
}

}  // namespace facepipe::detector
