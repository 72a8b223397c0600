// Implements the rule `matrix` by the two kernels of Oro et al. 2020.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "nms/cuda/candidate_view.h"
#include "nms/nms.h"

namespace facepipe::nms {

struct MatrixScratch {
  std::uint8_t* matrix;    ///< B: d_max rows of matrix_stride(d_max) bytes
  std::uint8_t* survives;  ///< V: d_max bytes
};

/// Returns the number of bytes from one row to the next. It is a multiple of 4, because four
/// elements are written as one word.
[[nodiscard]] constexpr std::size_t matrix_stride(std::uint32_t d_max) {
  return (std::size_t{d_max} + 3) / 4 * 4;
}

/// launch_matrix_map() launches the map kernel, with enough blocks to occupy `multiprocessors`.
/// launch_matrix_reduce() launches the reduce kernel, with one block for each row.
void launch_matrix_map(const NmsOptions& options, const CandidateView& view,
                       const MatrixScratch& scratch, std::uint32_t multiprocessors,
                       cudaStream_t stream);
void launch_matrix_reduce(const NmsOptions& options, const CandidateView& view,
                          const MatrixScratch& scratch, cudaStream_t stream);

}  // namespace facepipe::nms
