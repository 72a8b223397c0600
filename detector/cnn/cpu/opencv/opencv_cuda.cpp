#include "detector/cnn/cpu/opencv/opencv_cuda.h"

#include <algorithm>

#include "detector/cnn/cpu/opencv/opencv_version.h"

namespace facepipe {

cv::dnn::Target cuda_target(Precision precision) {
  return precision == Precision::f16 ? cv::dnn::DNN_TARGET_CUDA_FP16 : cv::dnn::DNN_TARGET_CUDA;
}

std::string reason_against_opencv_cuda(Precision precision) {
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

}  // namespace facepipe
