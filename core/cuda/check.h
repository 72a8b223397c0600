// The one way in which a failure of CUDA's runtime becomes an exception.
#pragma once

#include <cuda_runtime_api.h>

namespace facepipe::cuda {

/// Throws Error(ErrorKind::device) with the call, its place and CUDA's own text. The error is taken
/// from CUDA, so that a later check doesn't report it again (one that broke the context stays).
[[noreturn]] void fail(cudaError_t error, const char* call, const char* file, int line);

inline void check(cudaError_t error, const char* call, const char* file, int line) {
  if (error != cudaSuccess) fail(error, call, file, line);
}

}  // namespace facepipe::cuda

/// Every call of CUDA's runtime goes through it; kernel launches are checked by
/// FACEPIPE_CUDA_CHECK(cudaGetLastError()).
#define FACEPIPE_CUDA_CHECK(call) ::facepipe::cuda::check((call), #call, __FILE__, __LINE__)
