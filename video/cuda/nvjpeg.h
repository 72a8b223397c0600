// nvJPEG's handles: one owner alias for each, one check of what its calls give. Its interface is
// C's, but what CUDA refuses it throws as C++ exceptions of its own, through that interface or,
// where it frees memory, against its own destructors, which ends the program. So every call is made
// where they are caught, and none of its handles is ended on a device that has failed.
#pragma once

#include <nvjpeg.h>

#include <exception>
#include <memory>
#include <string>
#include <type_traits>

namespace facepipe::video {

/// False once something has failed on CUDA's current device that ends all use of it (an illegal
/// memory access, for one). Waits for the device.
[[nodiscard]] bool can_free_memory() noexcept;

/// What was left undone is told at debug level: a device that has failed is told elsewhere.
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

/// Throws Error(device) with the call, its place and the reason.
[[noreturn]] void fail_nvjpeg(const std::string& reason, const char* call, const char* file,
                              int line);

/// nvJPEG's own words for a status.
[[nodiscard]] std::string text_of(nvjpegStatus_t status);

/// Makes the call, which gives a status; whatever it says or throws against it is Error(device).
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

/// Every call of nvJPEG goes through it.
#define FACEPIPE_NVJPEG_CHECK(call) \
  ::facepipe::video::check_nvjpeg([&] { return (call); }, #call, __FILE__, __LINE__)
