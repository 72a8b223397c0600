#include "detector/cnn/cuda/operators/inverted_residual/instances.cuh"

namespace facepipe::detector::engine {

InvertedResidualKernel middle_inverted_residual(int chunks, int stride, int rows) {
  switch (chunks) {
    case 8:
      return kernel_among<8>(RowCounts<3, 4, 5, 6>(), RowCounts<2, 3>(), stride, rows);
    case 12:
      return kernel_among<12>(RowCounts<3, 4, 5, 6>(), RowCounts<2, 3>(), stride, rows);
    default:
      return nullptr;
  }
}

}  // namespace facepipe::detector::engine
