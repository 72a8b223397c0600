// Which kernels of inverted_residual.cuh are compiled, in files of a few each.
#pragma once

#include "detector/cnn/cuda/operators/inverted_residual/inverted_residual.h"

namespace facepipe::engine {

using InvertedResidualKernel = void (*)(InvertedResidualArguments);

/// Null where there is none of these parameters in that file.
[[nodiscard]] InvertedResidualKernel narrow_inverted_residual(int eighths, int stride, int rows);
[[nodiscard]] InvertedResidualKernel middle_inverted_residual(int eighths, int stride, int rows);
[[nodiscard]] InvertedResidualKernel wide_inverted_residual(int eighths, int stride, int rows);

}  // namespace facepipe::engine
