#include "app/output/versions.h"

#include <nlohmann/json.hpp>

#include "detector/cnn/cpu/opencv/opencv_version.h"
#include "video/ffmpeg.h"

namespace facepipe::app {

nlohmann::ordered_json versions_json() {
  return {{"facepipe", FACEPIPE_VERSION},
          {"FFmpeg", av_version_info()},
          {"OpenCV", detector::describe_opencv()},
          {"OpenVINO", FACEPIPE_OPENVINO_VERSION},
          {"compiler", FACEPIPE_COMPILER}};
}

}  // namespace facepipe::app
