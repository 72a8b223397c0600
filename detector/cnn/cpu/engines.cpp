#include "detector/cnn/cpu/engines.h"

#include "core/error.h"
#include "detector/cnn/cpu/opencv/opencv_engine.h"
#include "detector/cnn/cpu/openvino/openvino_engine.h"

namespace facepipe {

std::vector<EngineSupport> supported_engines(DeviceKind device) {
  std::vector<EngineSupport> engines;
  if (device == DeviceKind::cuda) {
#if FACEPIPE_CUDA
    for (const EngineKind engine : {EngineKind::cuda, EngineKind::cuda_plain})
      engines.push_back({engine, {Precision::f16}, true});
#endif
    return engines;
  }
#if FACEPIPE_HAVE_OPENVINO
  engines.push_back({EngineKind::openvino, openvino_precisions(), openvino_f16_is_fast()});
#endif
  engines.push_back({EngineKind::opencv, {Precision::f32}, false});
  return engines;
}

std::unique_ptr<Engine> make_engine(EngineKind kind, const Model& model, Size network,
                                    const EngineOptions& options) {
  if (kind == EngineKind::cuda || kind == EngineKind::cuda_plain)
    throw Error(ErrorKind::internal,
                "engine " + std::string(to_string(kind)) + ": is no engine of the CPU");
  if (kind == EngineKind::opencv) return make_opencv_engine(model, network, options);
#if FACEPIPE_HAVE_OPENVINO
  return make_openvino_engine(model, network, options);
#else
  throw Error(ErrorKind::device, "engine openvino: not built in");
#endif
}

}  // namespace facepipe
