// Turns every failure of CUDA's runtime into an exception.
#pragma once

#include <cuda_runtime_api.h>

namespace facepipe::cuda {

/// Throws Error(ErrorKind::device) with the call, its place in the source and CUDA's text. It
/// clears CUDA's last error, so that a later check doesn't report it again. It can't clear an error
/// that broke the context.
[[noreturn]] void fail(cudaError_t error, const char* call, const char* file, int line);

inline void check(cudaError_t error, const char* call, const char* file, int line) {
  if (error != cudaSuccess) fail(error, call, file, line);
}

}  // namespace facepipe::cuda

/// Checks a call of CUDA's runtime. Every such call goes through this macro. After a kernel launch,
/// FACEPIPE_CUDA_CHECK(cudaGetLastError()) checks the launch.
#define FACEPIPE_CUDA_CHECK(call) ::facepipe::cuda::check((call), #call, __FILE__, __LINE__)
