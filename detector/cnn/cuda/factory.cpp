#include "detector/cnn/cuda/factory.h"

#include <string>
#include <utility>

#include "core/cuda/buffer.h"
#include "core/cuda/devices.h"
#include "core/cuda/graph.h"
#include "core/error.h"
#include "detector/cnn/cuda/cnn_detector.h"
#include "detector/cnn/cuda/tile_chooser.h"
#include "detector/cnn/family.h"
#include "detector/cnn/model/model.h"
#include "detector/cuda_looks_detector.h"

namespace facepipe::detector {
namespace {

class CudaCnnDetectorFactory final : public CudaDetectorFactory {
 public:
  CudaCnnDetectorFactory(EngineChoice choice, Model model, Device device, DetectorOptions options)
      : CudaDetectorFactory(std::move(choice), model.data().name, model.sha256(),
                            model.head().landmarks, classes_found_by(model.card()), model.about()),
        device_(device),
        options_(with_defaults(std::move(options), about())),
        model_(std::move(model)) {
    if (options_.requests < 1)
      throw Error(ErrorKind::usage, "detector: at least one request is needed");
    try_model();
  }

  [[nodiscard]] std::shared_ptr<const CudaDetector> detector(const StreamLayout& layout,
                                                             std::uint32_t capacity,
                                                             Tuning tuning) const override {
    cuda::use_device(device_);
    return make_cuda_looks(looks_of(options_), layout, [&](const StreamLayout& seen, float scale) {
      const Size frame = upright_size(seen.stored, seen.orientation);
      return make_cuda_cnn_detector(model_, seen, size_of_look(frame, options_.detect_size, scale),
                                    {.score_threshold = options_.score_threshold,
                                     .capacity = room_for(classes().size(), capacity),
                                     .tile_file = engine::default_tile_file(),
                                     .tries_tiles = tuning == Tuning::trials,
                                     .fused = choice().fused});
    });
  }

 private:
  void try_model() const {
    if (model_.head().kind == HeadKind::boxes) engine::refuse_boxes(model_);
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

}  // namespace

std::unique_ptr<CudaDetectorFactory> make_cuda_cnn_factory(const EngineChoice& choice,
                                                           Device device,
                                                           const DetectorOptions& options) {
  return std::make_unique<CudaCnnDetectorFactory>(choice, read_network(options), device, options);
}

}  // namespace facepipe::detector
