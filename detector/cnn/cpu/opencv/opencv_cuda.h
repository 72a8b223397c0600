// What OpenCV's dnn has for CUDA devices, asked before it is relied on: without a device, or for a
// layer that it has no CUDA code for, dnn computes on the CPU and doesn't say so.
#pragma once

#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "detector/options.h"

namespace facepipe::detector {

/// dnn's word for f32 or f16 on a CUDA device.
[[nodiscard]] cv::dnn::Target cuda_target(Precision precision);

/// Why this OpenCV's dnn can't compute in `precision` on any CUDA device of this machine, or must
/// not with the cuDNN that was found; empty where it can.
[[nodiscard]] std::string reason_against_opencv_cuda(Precision precision);

/// Those of `net` that `backend` has no code for, as "NAME (TYPE)".
[[nodiscard]] std::vector<std::string> layers_without(const cv::dnn::Net& net,
                                                      cv::dnn::Backend backend);

}  // namespace facepipe::detector
