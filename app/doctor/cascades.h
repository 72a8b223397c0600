// doctor's part about cascades, which the system's packages bring along.
#pragma once

#include <filesystem>

#include "app/doctor/doctor.h"

namespace facepipe::app {

/// Where Debian's package opencv-data puts OpenCV's cascades.
inline constexpr const char* kCascadeFolder = "/usr/share/opencv4/haarcascades";

/// Names the folder and those of OpenCV's cascades for frontal and profile faces in it that can be
/// used, in the order of their names; or says that there are none.
void print_cascades(const std::filesystem::path& folder, const Print& print);

}  // namespace facepipe::app
