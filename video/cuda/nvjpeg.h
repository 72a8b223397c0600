// Defines owners of nvJPEG's handles (one alias for each), and checks nvJPEG's calls. nvJPEG has a
// C interface, but for CUDA's errors it throws its own C++ exceptions through that interface. When
// nvJPEG frees memory, it throws in its own destructors, and this ends the program. Therefore every
// call is made where exceptions are caught, and no handle is destroyed on a device that has failed.
#pragma once

#include <nvjpeg.h>

#include <exception>
#include <memory>
#include <string>
#include <type_traits>

namespace facepipe::video {

/// Returns false if an error, for example an illegal memory access, has made CUDA's current device
/// unusable. Waits for the device.
[[nodiscard]] bool can_free_memory() noexcept;

/// Logs at debug level that a handle was not destroyed. The device's failure is reported elsewhere.
void log_failed_destroy(const char* why) noexcept;

template <auto Destroy>
struct NvjpegDelete {
  void operator()(auto* handle) const noexcept {
    if (!can_free_memory()) return log_failed_destroy("the device has failed");
    try {
      Destroy(handle);
    } catch (const std::exception& failure) {
      log_failed_destroy(failure.what());
    } catch (...) {
      log_failed_destroy("an exception of an unknown kind");
    }
  }
};
template <class Handle, auto Destroy>
using NvjpegOwner = std::unique_ptr<std::remove_pointer_t<Handle>, NvjpegDelete<Destroy>>;
using UniqueNvjpeg = NvjpegOwner<nvjpegHandle_t, nvjpegDestroy>;
using UniqueNvjpegState = NvjpegOwner<nvjpegEncoderState_t, nvjpegEncoderStateDestroy>;
using UniqueNvjpegParams = NvjpegOwner<nvjpegEncoderParams_t, nvjpegEncoderParamsDestroy>;

/// Throws Error(device), whose message names the call, its place in the source and the reason.
[[noreturn]] void fail_nvjpeg(const std::string& reason, const char* call, const char* file,
                              int line);

/// Returns nvJPEG's text for a status.
[[nodiscard]] std::string text_of(nvjpegStatus_t status);

/// Makes a call that returns a status. Throws Error(device) for every failure status and every
/// exception.
template <class Call>
void check_nvjpeg(const Call& call, const char* text, const char* file, int line) {
  nvjpegStatus_t status = NVJPEG_STATUS_INTERNAL_ERROR;
  try {
    status = call();
  } catch (const std::exception& thrown) {
    fail_nvjpeg(thrown.what(), text, file, line);
  } catch (...) {
    fail_nvjpeg("an exception of an unknown kind", text, file, line);
  }
  if (status != NVJPEG_STATUS_SUCCESS) fail_nvjpeg(text_of(status), text, file, line);
}

}  // namespace facepipe::video

/// Every call of nvJPEG goes through this macro.
#define FACEPIPE_NVJPEG_CHECK(call) \
  ::facepipe::video::check_nvjpeg([&] { return (call); }, #call, __FILE__, __LINE__)
