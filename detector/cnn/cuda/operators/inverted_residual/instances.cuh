// Declares which kernels of inverted_residual.cuh are compiled. They are divided among a few files,
// which compile at the same time.
#pragma once

#include <utility>

#include "detector/cnn/cuda/operators/inverted_residual/inverted_residual.cuh"

namespace facepipe::detector::engine {

using InvertedResidualKernel = void (*)(InvertedResidualArguments);

/// Returns the kernel with these parameters, if it is compiled in narrow.cu, middle.cu or wide.cu;
/// otherwise null. `chunks` is the number of input channels in units of 8.
[[nodiscard]] InvertedResidualKernel narrow_inverted_residual(int chunks, int stride, int rows);
[[nodiscard]] InvertedResidualKernel middle_inverted_residual(int chunks, int stride, int rows);
[[nodiscard]] InvertedResidualKernel wide_inverted_residual(int chunks, int stride, int rows);

/// Lists values of InvertedResidualTile::rows.
template <int... kRows>
using RowCounts = std::integer_sequence<int, kRows...>;

/// Compiles the kernels for the listed numbers of rows. Returns the kernel for `stride` and `rows`,
/// or null if it is not among them.
template <int kChunks, int... kOfOne, int... kOfTwo>
InvertedResidualKernel kernel_among(RowCounts<kOfOne...> /*stride 1*/,
                                    RowCounts<kOfTwo...> /*stride 2*/, int stride, int rows) {
  InvertedResidualKernel found = nullptr;
  const auto take = [&](bool wanted, InvertedResidualKernel kernel) {
    if (wanted) found = kernel;
  };
  (take(stride == 1 && rows == kOfOne, inverted_residual_kernel<kChunks, 1, kOfOne>), ...);
  (take(stride == 2 && rows == kOfTwo, inverted_residual_kernel<kChunks, 2, kOfTwo>), ...);
  return found;
}

}  // namespace facepipe::detector::engine
