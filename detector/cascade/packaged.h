// Cascades that packages of the operating system bring along.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace facepipe::detector::cascade {

/// The folder in which Debian's package opencv-data puts OpenCV's cascades.
inline constexpr const char* kPackagedFolder = "/usr/share/opencv4/haarcascades";

/// Returns a line about each of OpenCV's cascades for frontal and profile faces in the folder that
/// can be used, in the order of their names. Returns none if the folder can't be read.
[[nodiscard]] std::vector<std::string> describe_cascades_in(const std::filesystem::path& folder);

}  // namespace facepipe::detector::cascade
