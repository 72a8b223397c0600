#include "pipeline/cuda/nvjpeg.h"

#include <array>
#include <string>

#include "core/error.h"

namespace facepipe {
namespace {

std::string name_of(nvjpegStatus_t status) {
  static constexpr std::array kNames{"success",
                                     "not initialized",
                                     "invalid parameter",
                                     "bad JPEG",
                                     "JPEG not supported",
                                     "allocator failure",
                                     "execution failed",
                                     "architecture mismatch",
                                     "internal error",
                                     "implementation not supported",
                                     "incomplete bitstream"};
  const auto i = static_cast<std::size_t>(status);
  return i < kNames.size() ? kNames[i] : "status " + std::to_string(i);
}

}  // namespace

void fail_nvjpeg(nvjpegStatus_t status, const char* call, const char* file, int line) {
  throw Error(ErrorKind::device, std::string(call) + " failed: nvJPEG: " + name_of(status) + ", " +
                                     file + ":" + std::to_string(line));
}

}  // namespace facepipe
