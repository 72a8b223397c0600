#include "tests/detector/cnn/cuda/cpu_reference.h"

#include <algorithm>

#include "detector/cnn/cpu/engine.h"
#include "detector/cnn/cpu/preprocess.h"
#include "detector/cnn/model/head.h"

namespace facepipe::test {

std::vector<std::uint8_t> preprocess_on_cpu(const Frame& frame, const detector::NetworkFit& fit,
                                            detector::ChannelOrder order) {
  const std::size_t pixels =
      static_cast<std::size_t>(fit.network.width) * static_cast<std::size_t>(fit.network.height);
  std::vector<std::uint8_t> planes(3 * pixels);
  detector::Preprocessor(fit, order).convert(frame, planes);
  return planes;
}

Detections detect_on_cpu(const std::vector<std::uint8_t>& planes, const detector::Model& model,
                         const detector::NetworkFit& fit, float threshold) {
  constexpr int kThreads = 4;
  const auto inference = detector::make_engine(detector::Library::opencv, model, fit.network,
                                               {detector::Precision::f32, kThreads, 1})
                             ->make_inference();
  std::copy(planes.begin(), planes.end(), inference->input().begin());
  inference->start();
  inference->wait();
  detector::NetworkOutputs outputs;
  for (std::size_t i = 0; i < model.outputs().size(); ++i) outputs.push_back(inference->output(i));
  return decode_head(model.head(), outputs, fit, threshold);
}

}  // namespace facepipe::test
