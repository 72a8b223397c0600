#include "detector/cnn/cpu/opencv/opencv_engine.h"

#include <mutex>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/dnn.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace facepipe {
namespace {

constexpr const char* kLibrary = "OpenCV";

/// The network, shared by its Inferences.
struct SharedNet {
  std::filesystem::path file;
  std::string input;
  std::vector<ModelOutput> outputs;
  Size size;
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

 private:
  void run() {
    std::vector<cv::String> names;
    for (const ModelOutput& output : shared_->outputs) names.push_back(output.name);
    input_.convertTo(input_f32_, CV_32F);
    shared_->net.setInput(input_f32_, shared_->input);
    std::vector<cv::Mat> results;
    shared_->net.forward(results, names);
    for (std::size_t i = 0; i < results.size(); ++i) keep(results[i], i);
  }

  // The net reuses its memory in the next run, which may be another Inference's.
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

}  // namespace

std::unique_ptr<Engine> make_opencv_engine(const Model& model, Size network,
                                           const EngineOptions& options) {
  if (options.precision != Precision::f32)
    throw Error(ErrorKind::usage, "engine opencv: precision f32 only");
  // The library prints what it also throws; one message is enough.
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  cv::setNumThreads(options.threads);
  auto shared = std::make_shared<SharedNet>();
  shared->file = model.file();
  shared->input = model.input();
  shared->outputs = model.outputs();
  shared->size = network;
  try {
    const std::string bytes = model.onnx(network);
    shared->net = cv::dnn::readNetFromONNX(bytes.data(), bytes.size());
    shared->net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    shared->net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
  } catch (const cv::Exception& failure) {
    throw engine_error(shared->file, kLibrary, failure.err);
  }
  return std::make_unique<OpencvEngine>(std::move(shared));
}

}  // namespace facepipe
