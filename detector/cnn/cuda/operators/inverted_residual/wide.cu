#include "detector/cnn/cuda/operators/inverted_residual/instances.cuh"

namespace facepipe::detector::engine {

InvertedResidualKernel wide_inverted_residual(int chunks, int stride, int rows) {
  switch (chunks) {
    case 16:
      return kernel_among<16>(RowCounts<4>(), RowCounts<2>(), stride, rows);
    case 20:
      return kernel_among<20>(RowCounts<3, 4, 5>(), RowCounts<2>(), stride, rows);
    case 24:
      return kernel_among<24>(RowCounts<4>(), RowCounts<2>(), stride, rows);
    default:
      return nullptr;
  }
}

}  // namespace facepipe::detector::engine
