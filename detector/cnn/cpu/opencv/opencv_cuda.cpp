#include "detector/cnn/cpu/opencv/opencv_cuda.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <opencv2/core/utility.hpp>
#include <optional>

#include "detector/cnn/cpu/opencv/opencv_version.h"

namespace facepipe::detector {
namespace {

/// Returns the version that the loaded cuDNN library reports; nullopt if dnn has not loaded cuDNN.
std::optional<std::size_t> cudnn_version() {
  void* const function = dlsym(RTLD_DEFAULT, "cudnnGetVersion");
  if (function == nullptr) return std::nullopt;
  return reinterpret_cast<std::size_t (*)()>(function)();
}

}  // namespace

cv::dnn::Target cuda_target(Precision precision) {
  return precision == Precision::f16 ? cv::dnn::DNN_TARGET_CUDA_FP16 : cv::dnn::DNN_TARGET_CUDA;
}

std::string reason_against_opencv_cuda(Precision precision) {
  const auto cudnn = cudnn_version();
  const std::string reason =
      cudnn ? reason_against_cudnn(cv::getBuildInformation(), *cudnn) : std::string();
  if (!reason.empty()) return "version " + describe_opencv() + ": " + reason;
  const auto targets = cv::dnn::getAvailableTargets(cv::dnn::DNN_BACKEND_CUDA);
  if (std::ranges::count(targets, cuda_target(precision)) > 0) return {};
  return "version " + describe_opencv() + ", has no target " +
         (precision == Precision::f16 ? "CUDA_FP16" : "CUDA") + " here";
}

std::vector<std::string> layers_without(const cv::dnn::Net& net, cv::dnn::Backend backend) {
  std::vector<std::string> missing;
  for (const cv::String& name : net.getLayerNames()) {
    const cv::Ptr<cv::dnn::Layer> layer = net.getLayer(net.getLayerId(name));
    if (!layer->supportBackend(backend)) missing.push_back(name + " (" + layer->type + ")");
  }
  return missing;
}

}  // namespace facepipe::detector
