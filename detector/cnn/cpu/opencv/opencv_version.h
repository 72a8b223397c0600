// What OpenCV tells of itself, in one line.
#pragma once

#include <string>
#include <string_view>

namespace facepipe {

/// "4.14.0, CUDA 13.0.88, cuDNN 9.19.0": the version, and of CUDA and cuDNN those that it was built
/// with, as cv::getBuildInformation() lists them; or "4.6.0, without CUDA".
[[nodiscard]] std::string describe_opencv(std::string_view version,
                                          std::string_view build_information);

/// The one that is linked.
[[nodiscard]] std::string describe_opencv();

}  // namespace facepipe
