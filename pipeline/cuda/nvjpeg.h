// nvJPEG's handles: one owner alias for each, one check of return codes.
#pragma once

#include <nvjpeg.h>

#include <memory>
#include <type_traits>

namespace facepipe {

template <class Handle, auto Destroy>
struct NvjpegDelete {
  using pointer = Handle;
  void operator()(Handle handle) const noexcept { Destroy(handle); }
};
using UniqueNvjpeg = std::unique_ptr<std::remove_pointer_t<nvjpegHandle_t>,
                                     NvjpegDelete<nvjpegHandle_t, nvjpegDestroy>>;
using UniqueNvjpegState =
    std::unique_ptr<std::remove_pointer_t<nvjpegEncoderState_t>,
                    NvjpegDelete<nvjpegEncoderState_t, nvjpegEncoderStateDestroy>>;
using UniqueNvjpegParams =
    std::unique_ptr<std::remove_pointer_t<nvjpegEncoderParams_t>,
                    NvjpegDelete<nvjpegEncoderParams_t, nvjpegEncoderParamsDestroy>>;

/// Throws Error(device) with the call, its place and nvJPEG's status.
[[noreturn]] void fail_nvjpeg(nvjpegStatus_t status, const char* call, const char* file, int line);

inline void check_nvjpeg(nvjpegStatus_t status, const char* call, const char* file, int line) {
  if (status != NVJPEG_STATUS_SUCCESS) fail_nvjpeg(status, call, file, line);
}

}  // namespace facepipe

/// Every call of nvJPEG goes through it.
#define FACEPIPE_NVJPEG_CHECK(call) ::facepipe::check_nvjpeg((call), #call, __FILE__, __LINE__)
