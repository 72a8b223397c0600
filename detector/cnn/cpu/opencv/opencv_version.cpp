#include "detector/cnn/cpu/opencv/opencv_version.h"

#include <cstdio>
#include <opencv2/core/utility.hpp>
#include <optional>
#include <regex>

namespace facepipe::detector {
namespace {

/// Returns VERSION from the line "  LIBRARY:   YES (ver VERSION, ...)".
std::optional<std::string> version_of(const std::string& library, const std::string& information) {
  std::smatch found;
  const std::regex line(library + R"(:\s+YES \(ver ([0-9.]+))");
  if (!std::regex_search(information, found, line)) return std::nullopt;
  return found[1];
}

}  // namespace

std::string describe_opencv(std::string_view version, std::string_view build_information) {
  const std::string information(build_information);
  const auto cuda = version_of("NVIDIA CUDA", information);
  if (!cuda) return std::string(version) + ", without CUDA";
  const auto cudnn = version_of("cuDNN", information);
  return std::string(version) + ", CUDA " + *cuda +
         (cudnn ? ", cuDNN " + *cudnn : ", without cuDNN");
}

std::string reason_against_cudnn(std::string_view build_information, std::size_t running) {
  const auto built = version_of("cuDNN", std::string(build_information));
  if (!built) return {};
  int major = 0;
  int minor = 0;
  if (std::sscanf(built->c_str(), "%d.%d", &major, &minor) != 2) return {};
  const auto number = static_cast<int>(running);
  // The factor of the first number is 1000 before cuDNN 9, and 10000 since then.
  const int unit = number < 10000 ? 1000 : 10000;
  const int found_major = number / unit;
  const int found_minor = number % unit / 100;
  if (found_major == major && found_minor >= minor) return {};
  return "built with cuDNN " + *built + ", found " + std::to_string(found_major) + "." +
         std::to_string(found_minor) + "." + std::to_string(number % 100);
}

std::string describe_opencv() {
  return describe_opencv(cv::getVersionString(), cv::getBuildInformation());
}

}  // namespace facepipe::detector
