// Finds out what OpenCV's dnn can do on CUDA devices. This is needed because dnn silently computes
// on the CPU if there is no device, or if it has no CUDA code for a layer.
#pragma once

#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "detector/options.h"

namespace facepipe::detector {

/// Returns dnn's target for f32 or f16 on a CUDA device.
[[nodiscard]] cv::dnn::Target cuda_target(Precision precision);

/// Returns the reason why this OpenCV's dnn can't compute in `precision` on any CUDA device of this
/// machine, or must not compute with the cuDNN that was found. Returns an empty string if there is
/// no such reason.
[[nodiscard]] std::string reason_against_opencv_cuda(Precision precision);

/// Returns those layers of `net` for which `backend` has no code, as "NAME (TYPE)".
[[nodiscard]] std::vector<std::string> layers_without(const cv::dnn::Net& net,
                                                      cv::dnn::Backend backend);

}  // namespace facepipe::detector
