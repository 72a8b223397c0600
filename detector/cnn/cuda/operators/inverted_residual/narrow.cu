#include "detector/cnn/cuda/operators/inverted_residual/instances.cuh"

namespace facepipe::detector::engine {

InvertedResidualKernel narrow_inverted_residual(int chunks, int stride, int rows) {
  switch (chunks) {
    case 2:
      return kernel_among<2>(RowCounts<3, 4, 5>(), RowCounts<2, 4>(), stride, rows);
    case 3:
      return kernel_among<3>(RowCounts<3, 4, 5>(), RowCounts<2, 4>(), stride, rows);
    case 4:
      return kernel_among<4>(RowCounts<3, 4, 5>(), RowCounts<2, 4>(), stride, rows);
    default:
      return nullptr;
  }
}

}  // namespace facepipe::detector::engine
