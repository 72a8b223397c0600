// Records a stream's work as a graph once, and launches it as often as needed.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "core/cuda/stream.h"
#include "core/cuda/unique.h"

namespace facepipe::cuda {

/// Owns a graph that capture() recorded.
class Graph {
 public:
  explicit Graph(cudaGraph_t graph) noexcept : graph_(graph) {}
  [[nodiscard]] cudaGraph_t get() const noexcept { return graph_.get(); }
  [[nodiscard]] std::size_t nodes() const;

 private:
  Unique<cudaGraph_t, cudaGraphDestroy> graph_;
};

/// Owns a graph that is ready to be launched. CUDA runs its launches one after the other.
class GraphExec {
 public:
  explicit GraphExec(const Graph& graph);
  void launch(StreamView stream) const;

 private:
  Unique<cudaGraphExec_t, cudaGraphExecDestroy> exec_;
};

namespace detail {
void begin_capture(StreamView stream);
[[nodiscard]] Graph end_capture(StreamView stream);
void abandon_capture(StreamView stream) noexcept;
}  // namespace detail

/// Records what `enqueue()` enqueues on `stream`. If `enqueue()` throws, the capture ends and
/// capture() throws the same exception.
template <class Enqueue>
[[nodiscard]] Graph capture(StreamView stream, Enqueue&& enqueue) {
  detail::begin_capture(stream);
  try {
    enqueue();
  } catch (...) {
    detail::abandon_capture(stream);
    throw;
  }
  return detail::end_capture(stream);
}

}  // namespace facepipe::cuda
