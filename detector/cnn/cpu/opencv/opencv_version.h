// These functions tell in one line what OpenCV says about itself.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace facepipe::detector {

/// Returns for example "4.14.0, CUDA 13.0.88, cuDNN 9.19.0" or "4.6.0, without CUDA". The first is
/// OpenCV's version. The others are those that OpenCV was built with, as cv::getBuildInformation()
/// lists them.
[[nodiscard]] std::string describe_opencv(std::string_view version,
                                          std::string_view build_information);

/// Describes the OpenCV that is linked.
[[nodiscard]] std::string describe_opencv();

/// Returns the reason why dnn must not compute with the cuDNN of version `running`, or an empty
/// string. `running` is what cudnnGetVersion() returns: 91900 is 9.19.0, 8907 is 8.9.7.
/// `build_information` comes from OpenCV's build. cuDNN keeps its interface only for programs built
/// with an older version that has the same first number. There is no reason if OpenCV was built
/// without cuDNN. Source: NVIDIA, "cuDNN API compatibility". OpenCV itself only warns.
[[nodiscard]] std::string reason_against_cudnn(std::string_view build_information,
                                               std::size_t running);

}  // namespace facepipe::detector
