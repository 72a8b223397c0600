#include "detector/cnn/cpu/engine.h"

#include <sstream>
#include <string>

#include "detector/cnn/cpu/opencv/opencv_engine.h"
#include "detector/cnn/cpu/openvino/observe.h"
#include "detector/cnn/cpu/openvino/openvino_engine.h"
#include "detector/model_file.h"

namespace facepipe::detector {

std::vector<EngineSupport> network_engines(DeviceKind device) {
  if (device == DeviceKind::cuda)
    return {{Library::native_cuda, {Precision::f16}, {Precision::f16}},
            {Library::opencv, {Precision::f32, Precision::f16}, {}}};
  std::vector<EngineSupport> engines;
#if FACEPIPE_HAVE_OPENVINO
  engines.push_back({Library::openvino, openvino_precisions(), openvino_fast_precisions()});
#endif
  engines.push_back({Library::opencv, {Precision::f32}, {}});
  return engines;
}

std::unique_ptr<Engine> make_engine(Library library, const Model& model, Size network,
                                    const EngineOptions& options) {
  if (library == Library::opencv) return make_opencv_engine(model, network, options);
  if (library == Library::openvino) {
#if FACEPIPE_HAVE_OPENVINO
    return make_openvino_engine(model, network, options);
#else
    throw Error(ErrorKind::device, "engine openvino: this build lacks it");
#endif
  }
  throw Error(ErrorKind::internal, "engine " + std::string(engine_name(library)) +
                                       ": doesn't compute networks in host memory");
}

std::unique_ptr<NetworkObserver> make_observer(const Model& model, Size network, int threads) {
#if FACEPIPE_HAVE_OPENVINO
  return make_openvino_observer(model, network, threads);
#else
  (void)network;
  (void)threads;
  refuse_model(model.file(), "ranges for i8 are measured by OpenVINO, which this build lacks");
#endif
}

Error engine_error(const std::filesystem::path& model, std::string_view library,
                   std::string_view what) {
  std::string line = "model " + model.string() + ": " + std::string(library) + ":";
  std::istringstream words{std::string(what)};
  for (std::string word; words >> word;) line += " " + word;
  return {ErrorKind::device, line};
}

}  // namespace facepipe::detector
