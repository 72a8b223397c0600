#include "detector/cnn/cpu/opencv/opencv_engine.h"

#include <algorithm>
#include <mutex>
#include <opencv2/core/cuda.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/dnn.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "detector/cnn/cpu/opencv/opencv_cuda.h"

namespace facepipe::detector {
namespace {

constexpr const char* kLibrary = "OpenCV";

/// Holds the network that several Inferences share.
struct SharedNet {
  std::filesystem::path file;
  std::string input;
  std::vector<ModelOutput> outputs;
  Size size;
  Device device;
  std::mutex mutex;  // guards net
  cv::dnn::Net net;
};

class OpencvInference final : public Inference {
 public:
  explicit OpencvInference(std::shared_ptr<SharedNet> shared) : shared_(std::move(shared)) {
    const Size size = shared_->size;
    input_ = cv::Mat(std::vector<int>{1, 3, size.height, size.width}, CV_8U, cv::Scalar(0));
    for (const ModelOutput& output : shared_->outputs) outputs_.emplace_back(output.values(size));
  }

  std::span<std::uint8_t> input() override { return {input_.data, input_.total()}; }

  void start() override {
    const std::scoped_lock lock(shared_->mutex);
    try {
      run();
    } catch (const cv::Exception& failure) {
      throw engine_error(shared_->file, kLibrary, failure.err);
    }
  }

  void wait() override {}

  std::span<const float> output(std::size_t index) const override { return outputs_[index]; }

  void count_copies(CopyCounter& copies) const override {
    if (shared_->device.kind == DeviceKind::cpu) return;
    copies.add(CopyKind::network_input, input_.total() * sizeof(float));
    for (const std::vector<float>& output : outputs_)
      copies.add(CopyKind::network_output, output.size() * sizeof(float));
  }

 private:
  void run() {
    if (shared_->device.kind == DeviceKind::cuda) cv::cuda::setDevice(shared_->device.index);
    std::vector<cv::String> names;
    for (const ModelOutput& output : shared_->outputs) names.push_back(output.name);
    input_.convertTo(input_f32_, CV_32F);
    shared_->net.setInput(input_f32_, shared_->input);
    std::vector<cv::Mat> results;
    shared_->net.forward(results, names);
    for (std::size_t i = 0; i < results.size(); ++i) keep(results[i], i);
  }

  // Copies an output. This is needed because the net reuses its memory in the next run, which may
  // belong to another Inference.
  void keep(const cv::Mat& result, std::size_t index) {
    std::vector<float>& values = outputs_[index];
    if (result.type() != CV_32F || !result.isContinuous() || result.total() != values.size())
      throw engine_error(shared_->file, kLibrary,
                         "output " + shared_->outputs[index].name + " has an unexpected shape");
    std::copy_n(result.ptr<float>(), values.size(), values.begin());
  }

  std::shared_ptr<SharedNet> shared_;
  cv::Mat input_;
  cv::Mat input_f32_;
  std::vector<std::vector<float>> outputs_;
};

class OpencvEngine final : public Engine {
 public:
  explicit OpencvEngine(std::shared_ptr<SharedNet> shared) : shared_(std::move(shared)) {}
  std::unique_ptr<Inference> make_inference() override {
    return std::make_unique<OpencvInference>(shared_);
  }

 private:
  std::shared_ptr<SharedNet> shared_;
};

void check_precision(const EngineOptions& options) {
  const bool on_cuda = options.device.kind == DeviceKind::cuda;
  if (options.precision == Precision::f32) return;
  if (on_cuda && options.precision == Precision::f16) return;
  throw Error(ErrorKind::usage,
              std::string("engine opencv: precision f32") + (on_cuda ? " or f16" : "") + " only");
}

void choose_backend(SharedNet& shared, Precision precision) {
  if (shared.device.kind == DeviceKind::cpu) {
    shared.net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    shared.net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
    return;
  }
  const std::string reason = reason_against_opencv_cuda(precision);
  if (!reason.empty()) throw engine_error(shared.file, kLibrary, reason);
  shared.net.setPreferableBackend(cv::dnn::DNN_BACKEND_CUDA);
  shared.net.setPreferableTarget(cuda_target(precision));
}

/// Checks that dnn computes all layers on the device. dnn decides this in its first run.
void try_on_cuda(const std::shared_ptr<SharedNet>& shared) {
  OpencvInference(shared).start();
  const std::vector<std::string> missing = layers_without(shared->net, cv::dnn::DNN_BACKEND_CUDA);
  if (!missing.empty())
    throw engine_error(shared->file, kLibrary,
                       "can't compute " + std::to_string(missing.size()) +
                           " layers with CUDA; the first is " + missing.front());
}

}  // namespace

std::unique_ptr<Engine> make_opencv_engine(const Model& model, Size network,
                                           const EngineOptions& options) {
  check_precision(options);
  // OpenCV prints each error that it throws. We switch this off, because one message is enough.
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  auto shared = std::make_shared<SharedNet>();
  shared->file = model.file();
  shared->input = model.input();
  shared->outputs = model.outputs();
  shared->size = network;
  shared->device = options.device;
  try {
    const std::string bytes = model.onnx(network, Splits::as_slices);
    shared->net = cv::dnn::readNetFromONNX(bytes.data(), bytes.size());
    // With fused layers, OpenCV 4.6 computes YOLO 11's attention wrongly: it joins the sum of two
    // maps with the depthwise convolution before it. Only attention has a softmax.
    if (shared->net.getLayersCount("Softmax") > 0) shared->net.enableFusion(false);
    choose_backend(*shared, options.precision);
  } catch (const cv::Exception& failure) {
    throw engine_error(shared->file, kLibrary, failure.err);
  }
  if (options.device.kind == DeviceKind::cuda) try_on_cuda(shared);
  return std::make_unique<OpencvEngine>(std::move(shared));
}

}  // namespace facepipe::detector
