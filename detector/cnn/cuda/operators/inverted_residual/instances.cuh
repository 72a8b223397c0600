// Kernels of inverted_residual.cuh by their parameters: those that are named are compiled.
#pragma once

#include <utility>

#include "detector/cnn/cuda/operators/inverted_residual/inverted_residual.cuh"
#include "detector/cnn/cuda/operators/inverted_residual/kernels.h"

namespace facepipe::engine {

/// Rows that a warp may compute.
template <int... kRows>
using Rows = std::integer_sequence<int, kRows...>;

/// The kernel for `rows` among those of stride 1 and of stride 2; null for all others.
template <int kEighths, int... kOfOne, int... kOfTwo>
InvertedResidualKernel kernel_among(Rows<kOfOne...> /*stride 1*/, Rows<kOfTwo...> /*stride 2*/,
                                    int stride, int rows) {
  InvertedResidualKernel found = nullptr;
  const auto take = [&](bool wanted, InvertedResidualKernel kernel) {
    if (wanted) found = kernel;
  };
  (take(stride == 1 && rows == kOfOne, inverted_residual_kernel<kEighths, 1, kOfOne>), ...);
  (take(stride == 2 && rows == kOfTwo, inverted_residual_kernel<kEighths, 2, kOfTwo>), ...);
  return found;
}

}  // namespace facepipe::engine
