#include "video/cuda/nvjpeg.h"

#include <cuda_runtime_api.h>
#include <spdlog/spdlog.h>

#include <array>

#include "core/error.h"

namespace facepipe::video {

std::string text_of(nvjpegStatus_t status) {
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

bool can_free_memory() noexcept {
  const cudaError_t state = cudaDeviceSynchronize();
  static_cast<void>(cudaGetLastError());
  // Without a device, no work can have failed.
  return state == cudaSuccess || state == cudaErrorNoDevice || state == cudaErrorInsufficientDriver;
}

void log_failed_destroy(const char* why) noexcept {
  spdlog::debug("nvJPEG: something was not given back: {}", why);
}

void fail_nvjpeg(const std::string& reason, const char* call, const char* file, int line) {
  throw Error(ErrorKind::device, std::string(call) + " failed: nvJPEG: " + reason + ", " + file +
                                     ":" + std::to_string(line));
}

}  // namespace facepipe::video
