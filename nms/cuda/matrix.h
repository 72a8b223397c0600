// The boolean matrix of Oro et al. 2020, by its two kernels.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "nms/cuda/view.h"
#include "nms/nms.h"

namespace facepipe::nms {

struct MatrixScratch {
  std::uint8_t* matrix;    ///< B: d_max rows of matrix_stride(d_max) bytes
  std::uint8_t* survives;  ///< V: d_max
};

/// Rows begin where four bytes can be written at once.
[[nodiscard]] constexpr std::size_t matrix_stride(std::uint32_t d_max) {
  return (std::size_t{d_max} + 3) / 4 * 4;
}

/// Grids are as large as keep `multiprocessors` busy.
void launch_matrix_map(const NmsOptions& options, const View& view, const MatrixScratch& scratch,
                       std::uint32_t multiprocessors, cudaStream_t stream);
void launch_matrix_reduce(const NmsOptions& options, const View& view, const MatrixScratch& scratch,
                          std::uint32_t multiprocessors, cudaStream_t stream);

}  // namespace facepipe::nms
