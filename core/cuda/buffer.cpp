#include "core/cuda/buffer.h"

#include "core/cuda/check.h"

namespace facepipe::cuda::detail {

void* allocate_device(std::size_t bytes) {
  void* memory = nullptr;
  if (bytes != 0) FACEPIPE_CUDA_CHECK(cudaMalloc(&memory, bytes));
  return memory;
}

void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  if (bytes != 0) FACEPIPE_CUDA_CHECK(cudaMallocHost(&memory, bytes));
  return memory;
}

void copy_bytes(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                StreamView stream) {
  if (bytes != 0) FACEPIPE_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream.get()));
}

void fill_bytes(void* to, int value, std::size_t bytes, StreamView stream) {
  if (bytes != 0) FACEPIPE_CUDA_CHECK(cudaMemsetAsync(to, value, bytes, stream.get()));
}

}  // namespace facepipe::cuda::detail
