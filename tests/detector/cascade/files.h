// Where the tests of cascades find them: Debian's package opencv-data, which ./dev setup installs.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace facepipe::test {

/// Of haarcascade_NAME.xml. Throws std::runtime_error where it is missing, so that the test fails.
inline std::filesystem::path installed_cascade(const std::string& name) {
  std::filesystem::path file = "/usr/share/opencv4/haarcascades/haarcascade_" + name + ".xml";
  if (!std::filesystem::exists(file))
    throw std::runtime_error(file.string() + " is missing: ./dev setup installs opencv-data");
  return file;
}

}  // namespace facepipe::test
