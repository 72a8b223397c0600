#include "detector/cnn/cpu/openvino/observe.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <openvino/op/constant.hpp>
#include <openvino/op/reduce_max.hpp>
#include <openvino/op/reduce_min.hpp>
#include <openvino/openvino.hpp>
#include <utility>

#include "core/threads.h"
#include "detector/cnn/cpu/openvino/core.h"
#include "detector/cnn/cpu/openvino/quantize.h"

namespace facepipe::detector {
namespace {

constexpr const char* kLibrary = "OpenVINO";
constexpr int kOwnThreads = 3;  // a stream, and threads that run callbacks

/// Holds the least and the largest value of one channel.
struct Extremes {
  float low = 0;
  float high = 0;
};

class OpenvinoObserver final : public NetworkObserver {
 public:
  OpenvinoObserver(const Model& model, Size network, int threads)
      : file_(model.file()), sha256_(model.sha256()) {
    attempt([&] { compile(model, network, threads); });
  }

  void look(std::span<const std::uint8_t> planes) override {
    attempt([&] {
      ov::Tensor input = request_.get_input_tensor();
      std::copy(planes.begin(), planes.end(), input.data<float>());
      request_.infer();
      for (std::size_t i = 0; i < channels_.size(); ++i) keep(i);
    });
  }

  [[nodiscard]] I8Ranges ranges() const override {
    I8Ranges ranges;
    ranges.model_sha256 = sha256_;
    for (std::size_t i = 0; i < channels_.size(); ++i) ranges.tensors.push_back(range(i));
    return ranges;
  }

 private:
  void attempt(const std::function<void()>& work) const {
    try {
      work();
    } catch (const ov::Exception& failure) {
      throw engine_error(file_, kLibrary, failure.what());
    }
  }

  /// Compiles a network whose outputs are the least and the largest value of each channel of each
  /// tensor.
  void compile(const Model& model, Size network, int threads) {
    ov::Core core = make_openvino_core();
    const auto read = core.read_model(model.onnx(network), ov::Tensor());
    const auto all_but_channels =
        ov::op::v0::Constant::create(ov::element::i64, {3}, std::vector<std::int64_t>{0, 2, 3});
    ov::OutputVector ends;
    for (const QuantizedTensor& tensor : quantized_tensors(read)) {
      names_.push_back(tensor.name);
      channels_.emplace_back(tensor.value.get_shape().at(1));
      ends.push_back(
          std::make_shared<ov::op::v1::ReduceMin>(tensor.value, all_but_channels)->output(0));
      ends.push_back(
          std::make_shared<ov::op::v1::ReduceMax>(tensor.value, all_but_channels)->output(0));
    }
    const auto observed = std::make_shared<ov::Model>(ends, read->get_parameters());
    expect_threads(threads + kOwnThreads);
    request_ = core.compile_model(observed, "CPU", ov::hint::inference_precision(ov::element::f32),
                                  ov::inference_num_threads(threads))
                   .create_infer_request();
  }

  void keep(std::size_t tensor) {
    std::vector<Extremes>& channels = channels_[tensor];
    const ov::Tensor low = request_.get_output_tensor(2 * tensor);
    const ov::Tensor high = request_.get_output_tensor(2 * tensor + 1);
    for (std::size_t c = 0; c < channels.size(); ++c) {
      channels[c].low = std::min(channels[c].low, low.data<const float>()[c]);
      channels[c].high = std::max(channels[c].high, high.data<const float>()[c]);
    }
  }

  [[nodiscard]] TensorRange range(std::size_t tensor) const {
    TensorRange range{names_[tensor], 0, 0, {}};
    for (const auto& [low, high] : channels_[tensor]) {
      range.low = std::min(range.low, low);
      range.high = std::max(range.high, high);
    }
    const float whole = std::max({-range.low, range.high, 1e-6F});
    for (const auto& [low, high] : channels_[tensor]) {
      const float percent = std::ceil(100 * std::max(-low, high) / whole);
      range.channels.push_back(static_cast<std::uint8_t>(std::clamp(percent, 1.0F, 100.0F)));
    }
    return range;
  }

  std::filesystem::path file_;
  std::string sha256_;
  std::vector<std::string> names_;
  std::vector<std::vector<Extremes>> channels_;
  ov::InferRequest request_;
};

}  // namespace

std::unique_ptr<NetworkObserver> make_openvino_observer(const Model& model, Size network,
                                                        int threads) {
  return std::make_unique<OpenvinoObserver>(model, network, threads);
}

}  // namespace facepipe::detector
