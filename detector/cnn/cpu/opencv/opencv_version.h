// Describes this OpenCV in one line, from what OpenCV says about itself.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace facepipe::detector {

/// Returns for example "4.14.0, CUDA 13.0.88, cuDNN 9.19.0" or "4.6.0, without CUDA". The first
/// number is OpenCV's version. The others are the versions with which OpenCV was built, as
/// cv::getBuildInformation() lists them.
[[nodiscard]] std::string describe_opencv(std::string_view version,
                                          std::string_view build_information);

/// Describes the linked OpenCV.
[[nodiscard]] std::string describe_opencv();

/// Returns the reason why dnn must not compute with the cuDNN of version `running`, or an empty
/// string if there is no reason. `running` is the result of cudnnGetVersion(): 91900 is 9.19.0,
/// 8907 is 8.9.7. `build_information` is OpenCV's. A program works with a newer cuDNN than the one
/// with which it was built, but only if the first number is the same. OpenCV itself only warns.
/// There is no reason if OpenCV was built without cuDNN. Source: NVIDIA, "cuDNN API compatibility".
[[nodiscard]] std::string reason_against_cudnn(std::string_view build_information,
                                               std::size_t running);

}  // namespace facepipe::detector
