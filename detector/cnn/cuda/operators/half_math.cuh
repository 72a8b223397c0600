// Computes sums of products in halves. For architectures before sm_80, the functions use older
// instructions, because the newer ones don't exist there.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

namespace facepipe::detector::engine {

__device__ __forceinline__ __half2 as_half2(std::uint32_t bits) {
  return reinterpret_cast<const __half2&>(bits);
}
__device__ __forceinline__ std::uint32_t bits_of(__half2 value) {
  return reinterpret_cast<const std::uint32_t&>(value);
}

/// Returns max(a * b + c, 0), with one rounding.
__device__ __forceinline__ __half2 multiply_add_relu(__half2 a, __half2 b, __half2 c) {
#if __CUDA_ARCH__ >= 800
  return __hfma2_relu(a, b, c);
#else
  return __hmax2(__hfma2(a, b, c), __half2half2(__ushort_as_half(0)));
#endif
}

/// Computes result = a * b + c in halves on a tensor core. a is 16x16, and b is 16x8. Operands are
/// fragments as the PTX manual defines them. Lane 4g + t gets the columns 2t and 2t + 1: of row g
/// in result[0], and of row g + 8 in result[1].
__device__ __forceinline__ void multiply_add(__half2 (&result)[2], const std::uint32_t (&a)[4],
                                             std::uint32_t b0, std::uint32_t b1, __half2 c0,
                                             __half2 c1) {
  std::uint32_t low;
  std::uint32_t high;
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
      "{%8, %9};"
      : "=r"(low), "=r"(high)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(bits_of(c0)),
        "r"(bits_of(c1)));
#else
  asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %6};"
      : "=r"(low), "=r"(high)
      : "r"(a[0]), "r"(a[1]), "r"(b0), "r"(bits_of(c0)), "r"(bits_of(c1)));
  asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
      : "+r"(low), "+r"(high)
      : "r"(a[2]), "r"(a[3]), "r"(b1));
#endif
  result[0] = as_half2(low);
  result[1] = as_half2(high);
}

/// Computes sum += a * b on a tensor core. a is 16x8, and b is 8x8.
__device__ __forceinline__ void multiply_add_short(float (&sum)[4], std::uint32_t a0,
                                                   std::uint32_t a1, std::uint32_t b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a0), "r"(a1), "r"(b));
}

}  // namespace facepipe::detector::engine
