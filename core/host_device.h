// Marks functions that the host and CUDA kernels share, so that one source gives both equal
// results.
#pragma once

#ifdef __CUDACC__
#define FACEPIPE_HOST_DEVICE __host__ __device__
#else
/// Stands in front of an inline function that kernels also call. Such a function only computes, and
/// what it calls must carry the macro too. It must not add to a floating-point product, because
/// compilers differ in fusing the two, unless its header says that results differ in rounding.
#define FACEPIPE_HOST_DEVICE
#endif
