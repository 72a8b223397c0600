#include "app/output/versions.h"

#include <nlohmann/json.hpp>

#include "detector/cnn/cpu/opencv/opencv_version.h"
#include "video/ffmpeg.h"

namespace facepipe::app {

nlohmann::ordered_json versions_json() {
  // Each input's entry has the versions. OpenCV's version is searched for in a long text.
  static const nlohmann::ordered_json kVersions = {{"facepipe", FACEPIPE_VERSION},
                                                   {"FFmpeg", av_version_info()},
                                                   {"OpenCV", detector::describe_opencv()},
                                                   {"OpenVINO", FACEPIPE_OPENVINO_VERSION},
                                                   {"compiler", FACEPIPE_COMPILER}};
  return kVersions;
}

}  // namespace facepipe::app
