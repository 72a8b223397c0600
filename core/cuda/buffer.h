// Owns and copies device memory and pinned host memory. Buffers own memory, and spans refer to it.
// DeviceSpan is a type of its own, so that host code can't read through it. Every copy names its
// stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "core/cuda/stream.h"
#include "core/cuda/unique.h"

namespace facepipe::cuda {

namespace detail {
[[nodiscard]] void* allocate_device(std::size_t bytes);
[[nodiscard]] void* allocate_pinned(std::size_t bytes);
void copy_bytes(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                StreamView stream);
void fill_bytes(void* to, int value, std::size_t bytes, StreamView stream);
}  // namespace detail

/// Refers to `size` values from `data` on, in device memory that somebody else owns.
template <class T>
struct DeviceSpan {
  T* data = nullptr;
  std::size_t size = 0;

  /*implicit*/ operator DeviceSpan<const T>() const noexcept { return {data, size}; }  // NOLINT
  [[nodiscard]] DeviceSpan first(std::size_t count) const noexcept { return {data, count}; }
};

/// Owns device memory for `size` values, which start uninitialised.
template <class T>
class DeviceBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t size)
      : memory_(static_cast<T*>(detail::allocate_device(size * sizeof(T)))), size_(size) {}

  [[nodiscard]] T* data() const noexcept { return memory_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] DeviceSpan<T> span() const noexcept { return {data(), size_}; }

 private:
  Unique<T*, cudaFree> memory_;
  std::size_t size_ = 0;
};

/// Owns pinned host memory. The device can copy from and to it while the host continues.
template <class T>
class PinnedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t size)
      : memory_(static_cast<T*>(detail::allocate_pinned(size * sizeof(T)))), size_(size) {}

  [[nodiscard]] T* data() const noexcept { return memory_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<T> span() const noexcept { return {data(), size_}; }

 private:
  Unique<T*, cudaFreeHost> memory_;
  std::size_t size_ = 0;
};

/// Copies all of `from` to the beginning of `to`. `from` must outlive the copy.
template <class T>
void copy(DeviceSpan<T> to, std::span<const std::type_identity_t<T>> from, StreamView stream) {
  detail::copy_bytes(to.data, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream);
}

/// Fills all of `to` from the beginning of `from`. `to` must outlive the copy.
template <class T>
void copy(std::span<T> to, DeviceSpan<const std::type_identity_t<T>> from, StreamView stream) {
  detail::copy_bytes(to.data(), from.data, to.size_bytes(), cudaMemcpyDeviceToHost, stream);
}

template <class To, class From>
void copy(To&& to, const From& from) = delete;  // a copy without a stream would make the host wait

/// Returns a copy of the values on the device; an empty buffer if there are no values. Waits for
/// `stream`.
template <class T>
[[nodiscard]] DeviceBuffer<T> uploaded(const std::vector<T>& values, StreamView stream) {
  if (values.empty()) return {};
  DeviceBuffer<T> buffer(values.size());
  copy(buffer.span(), std::span<const T>(values), stream);
  stream.synchronize();
  return buffer;
}

/// Sets every byte of `to` to `value`.
template <class T>
void fill(DeviceSpan<T> to, int value, StreamView stream) {
  detail::fill_bytes(to.data, value, to.size * sizeof(T), stream);
}

}  // namespace facepipe::cuda
