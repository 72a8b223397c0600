// Finds the cascades that packages of the operating system install.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace facepipe::detector::cascade {

/// The folder in which Debian's package opencv-data puts OpenCV's cascades.
inline constexpr const char* kPackagedFolder = "/usr/share/opencv4/haarcascades";

/// Looks for OpenCV's cascades for frontal and profile faces in the folder. Returns a line about
/// each cascade that can be used, in the order of their names. Returns no line if the folder can't
/// be read.
[[nodiscard]] std::vector<std::string> describe_cascades_in(const std::filesystem::path& folder);

}  // namespace facepipe::detector::cascade
