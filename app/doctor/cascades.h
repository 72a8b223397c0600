// The part of doctor about cascades, which the system's packages bring along.
#pragma once

#include <filesystem>

#include "app/doctor/doctor.h"

namespace facepipe::app {

/// The folder in which Debian's package opencv-data puts OpenCV's cascades.
inline constexpr const char* kCascadeFolder = "/usr/share/opencv4/haarcascades";

/// Prints the folder, and which of OpenCV's cascades for frontal and profile faces in it can be
/// used, in the order of their names; or that there are none.
void print_cascades(const std::filesystem::path& folder, const Print& print);

}  // namespace facepipe::app
