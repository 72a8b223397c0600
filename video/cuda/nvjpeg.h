// Owners for nvJPEG's handles (one alias for each), and the check of its calls. nvJPEG has a C
// interface, but it throws its own C++ exceptions for CUDA's errors. They come through that
// interface. When nvJPEG frees memory, they come through its own destructors, which ends the
// program. So every call is made where exceptions are caught, and no handle is destroyed on a
// device that has failed.
#pragma once

#include <nvjpeg.h>

#include <exception>
#include <memory>
#include <string>
#include <type_traits>

namespace facepipe::video {

/// Returns false if an error on CUDA's current device has ended all its use, for example an illegal
/// memory access. Waits for the device.
[[nodiscard]] bool can_free_memory() noexcept;

/// Logs at debug level that a handle was not destroyed. The failure of the device is reported
/// elsewhere.
void tell_failed_destroy(const char* why) noexcept;

template <auto Destroy>
struct NvjpegDelete {
  void operator()(auto* handle) const noexcept {
    if (!can_free_memory()) return tell_failed_destroy("the device has failed");
    try {
      Destroy(handle);
    } catch (const std::exception& failure) {
      tell_failed_destroy(failure.what());
    } catch (...) {
      tell_failed_destroy("an exception of an unknown kind");
    }
  }
};
template <class Handle, auto Destroy>
using NvjpegOwner = std::unique_ptr<std::remove_pointer_t<Handle>, NvjpegDelete<Destroy>>;
using UniqueNvjpeg = NvjpegOwner<nvjpegHandle_t, nvjpegDestroy>;
using UniqueNvjpegState = NvjpegOwner<nvjpegEncoderState_t, nvjpegEncoderStateDestroy>;
using UniqueNvjpegParams = NvjpegOwner<nvjpegEncoderParams_t, nvjpegEncoderParamsDestroy>;

/// Throws Error(device) that names the call, its place and the reason.
[[noreturn]] void fail_nvjpeg(const std::string& reason, const char* call, const char* file,
                              int line);

/// Returns nvJPEG's own words for a status.
[[nodiscard]] std::string text_of(nvjpegStatus_t status);

/// Makes the call, which returns a status. Every failure status and every exception becomes
/// Error(device).
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
