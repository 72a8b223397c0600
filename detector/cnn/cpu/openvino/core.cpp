#include "detector/cnn/cpu/openvino/core.h"

#include <fstream>
#include <system_error>

#include "core/error.h"

namespace facepipe::detector {

void expect_processor_files(const std::filesystem::path& root) {
  std::error_code unknown;
  const bool topology = std::filesystem::exists(root / "sys/devices/system/cpu/cpu0", unknown);
  if (topology || std::ifstream(root / "proc/cpuinfo").is_open()) return;
  throw Error(ErrorKind::device,
              "OpenVINO can't count the processors, because neither /proc/cpuinfo nor "
              "/sys/devices/system/cpu can be read; mount one of them, or use --engine opencv");
}

ov::Core make_openvino_core() {
  expect_processor_files();
  return ov::Core();
}

}  // namespace facepipe::detector
