// Marks functions that the host and CUDA kernels share, so that both compute equal results from one
// source.
#pragma once

#ifdef __CUDACC__
#define FACEPIPE_HOST_DEVICE __host__ __device__
#else
/// Goes in front of an inline function that kernels also call. Every function that it calls must
/// carry the macro too. Compilers differ in whether they fuse a floating-point product with an
/// addition. Therefore such a function must not add to a product, unless its header says that
/// results differ in rounding.
#define FACEPIPE_HOST_DEVICE
#endif
