#include "detector/cuda/operators/inverted_residual.cuh"
#include "detector/cuda/operators/inverted_residual_kernels.h"

namespace facepipe::engine {
namespace {

template <int kEighths>
InvertedResidualKernel kernel_of(int stride, int rows) {
  if constexpr (kEighths == 20) {
    if (stride == 1 && rows == 3) return inverted_residual_kernel<kEighths, 1, 3>;
    if (stride == 1 && rows == 5) return inverted_residual_kernel<kEighths, 1, 5>;
  }
  if (stride == 1 && rows == 4) return inverted_residual_kernel<kEighths, 1, 4>;
  if (stride == 2 && rows == 2) return inverted_residual_kernel<kEighths, 2, 2>;
  return nullptr;
}

}  // namespace

InvertedResidualKernel wide_inverted_residual(int eighths, int stride, int rows) {
  switch (eighths) {
    case 16:
      return kernel_of<16>(stride, rows);
    case 20:
      return kernel_of<20>(stride, rows);
    case 24:
      return kernel_of<24>(stride, rows);
    default:
      return nullptr;
  }
}

}  // namespace facepipe::engine
