// For functions that the host and CUDA kernels share: one source, so that both give equal results.
#pragma once

#ifdef __CUDACC__
#define FACEPIPE_HOST_DEVICE __host__ __device__
#else
/// In front of an inline function that kernels call as well. It keeps to arithmetic: what it calls
/// must carry the macro too, and no product may meet a sum in floating point, because compilers
/// differ in fusing them.
#define FACEPIPE_HOST_DEVICE
#endif
