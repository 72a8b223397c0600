// What OpenCV tells of itself, in one line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace facepipe::detector {

/// "4.14.0, CUDA 13.0.88, cuDNN 9.19.0": the version, and of CUDA and cuDNN those that it was built
/// with, as cv::getBuildInformation() lists them; or "4.6.0, without CUDA".
[[nodiscard]] std::string describe_opencv(std::string_view version,
                                          std::string_view build_information);

/// The one that is linked.
[[nodiscard]] std::string describe_opencv();

/// Why dnn must not compute with the cuDNN of `running` (as cudnnGetVersion() has it: 91900
/// is 9.19.0, 8907 is 8.9.7) if OpenCV's build tells the lines of `build_information`: cuDNN keeps
/// its interface for programs built with an older version of the same first number, no others.
/// Empty where it may, and where OpenCV was built without. Source: NVIDIA, "cuDNN API
/// compatibility"; OpenCV itself only warns.
[[nodiscard]] std::string reason_against_cudnn(std::string_view build_information,
                                               std::size_t running);

}  // namespace facepipe::detector
