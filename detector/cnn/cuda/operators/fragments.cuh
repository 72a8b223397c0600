// Describes how the lanes of a warp hold a matrix in registers (a fragment) for mma.m16n8k16 and
// m16n8k8 of halves, as the PTX manual defines it. With g = lane / 4 and t = lane % 4:
//   A, 16 x k:  a[0] row g, columns 2t, 2t+1;  a[1] row g + 8;  a[2], a[3] the same in columns + 8
//   B, k x 8:   b[0] rows 2t, 2t+1 of column g;  b[1] rows + 8
//   C, 16 x 8:  row g, columns 2t, 2t+1, then row g + 8
// A C of halves has the same layout as an A with k = 8. Two such C side by side have the layout of
// an A with k = 16. So the result of a product can be an operand of the next product, without
// moving data between lanes.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "detector/cnn/cuda/operators/half_math.cuh"

namespace facepipe::detector::engine {

/// Computes d = a * b + c with k = 16; sums are halves. It works from sm_80 on. For earlier
/// architectures there is no code, and the kernels that call it are never launched.
__device__ __forceinline__ void multiply(std::uint32_t (&d)[2], const std::uint32_t (&a)[4],
                                         std::uint32_t b0, std::uint32_t b1,
                                         const std::uint32_t* c) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
      "{%8, %9};"
      : "=r"(d[0]), "=r"(d[1])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(c[0]), "r"(c[1]));
#endif
}

/// Computes d = a * b + c with k = 8.
__device__ __forceinline__ void multiply_short(std::uint32_t (&d)[2], std::uint32_t a0,
                                               std::uint32_t a1, std::uint32_t b,
                                               const std::uint32_t* c) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %6};"
      : "=r"(d[0]), "=r"(d[1])
      : "r"(a0), "r"(a1), "r"(b), "r"(c[0]), "r"(c[1]));
#endif
}

}  // namespace facepipe::detector::engine
