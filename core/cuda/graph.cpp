#include "core/cuda/graph.h"

#include "core/cuda/check.h"

namespace facepipe::cuda {

std::size_t Graph::nodes() const {
  std::size_t count = 0;
  FACEPIPE_CUDA_CHECK(cudaGraphGetNodes(graph_.get(), nullptr, &count));
  return count;
}

GraphExec::GraphExec(const Graph& graph) {
  cudaGraphExec_t exec = nullptr;
  FACEPIPE_CUDA_CHECK(cudaGraphInstantiate(&exec, graph.get(), 0));
  exec_.reset(exec);
}

void GraphExec::launch(StreamView stream) const {
  FACEPIPE_CUDA_CHECK(cudaGraphLaunch(exec_.get(), stream.get()));
}

namespace detail {

void begin_capture(StreamView stream) {
  // The mode is thread-local, so that other threads may allocate meanwhile.
  FACEPIPE_CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
}

Graph end_capture(StreamView stream) {
  cudaGraph_t graph = nullptr;
  FACEPIPE_CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
  return Graph(graph);
}

void abandon_capture(StreamView stream) noexcept {
  cudaGraph_t graph = nullptr;
  if (cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess)
    cudaGraphDestroy(graph);
  else
    static_cast<void>(cudaGetLastError());
}

}  // namespace detail
}  // namespace facepipe::cuda
