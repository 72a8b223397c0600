// Finds cascades for tests, in Debian's package opencv-data, which ./dev setup installs.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace facepipe::test {

/// Returns the path of haarcascade_NAME.xml. Throws std::runtime_error if the file is missing, so
/// that the test fails.
inline std::filesystem::path installed_cascade(const std::string& name) {
  std::filesystem::path file = "/usr/share/opencv4/haarcascades/haarcascade_" + name + ".xml";
  if (!std::filesystem::exists(file))
    throw std::runtime_error(file.string() + " is missing: ./dev setup installs opencv-data");
  return file;
}

/// This cascade has one stump and a window of 24x24 pixels. It accepts windows whose left half is
/// lighter, which are about half of all windows of noise.
inline constexpr const char* kHalfPassing = R"(<?xml version="1.0"?>
<opencv_storage><cascade type_id="opencv-cascade-classifier">
<stageType>BOOST</stageType><featureType>HAAR</featureType><height>24</height><width>24</width>
<stageNum>1</stageNum>
<stages><_><maxWeakCount>1</maxWeakCount><stageThreshold>5.e-01</stageThreshold>
<weakClassifiers><_><internalNodes>0 -1 0 0.</internalNodes><leafValues>0. 1.</leafValues></_>
</weakClassifiers></_></stages>
<features><_><rects><_>0 0 24 24 -1.</_><_>0 0 12 24 2.</_></rects><tilted>0</tilted></_></features>
</cascade></opencv_storage>
)";

}  // namespace facepipe::test
