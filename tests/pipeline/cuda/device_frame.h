// Copies noise frames to device memory and back.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "tests/support/test_frame.h"

namespace facepipe::test {

/// Copies a semi-planar frame to device memory, with its padding and strides.
class DeviceFrame {
 public:
  DeviceFrame(const Frame& host, cuda::StreamView stream) {
    frame_.format = host.format;
    frame_.size = host.size;
    frame_.orientation = host.orientation;
    frame_.color = host.color;
    frame_.field_order = host.field_order;
    frame_.device = {DeviceKind::cuda, 0};
    for (std::size_t p = 0; p < 2; ++p) {
      const std::vector<std::byte>& bytes = bytes_of(host)[p];
      planes_[p] = cuda::DeviceBuffer<std::byte>(bytes.size());
      cuda::copy(planes_[p].span(), std::span(bytes), stream);
      frame_.planes[p] = {planes_[p].data(), host.planes[p].stride};
    }
    stream.synchronize();
  }

  [[nodiscard]] const Frame& frame() const { return frame_; }

  /// Waits for `stream`. Returns all bytes of a plane, with the padding.
  [[nodiscard]] std::vector<std::byte> plane(std::size_t p, cuda::StreamView stream) const {
    std::vector<std::byte> bytes(planes_[p].size());
    cuda::copy(std::span(bytes), planes_[p].span(), stream);
    stream.synchronize();
    return bytes;
  }

 private:
  Frame frame_;
  std::array<cuda::DeviceBuffer<std::byte>, 2> planes_;
};

/// Copies values to device memory.
template <class T>
[[nodiscard]] cuda::DeviceBuffer<T> on_device(std::span<const T> values, cuda::StreamView stream) {
  cuda::DeviceBuffer<T> buffer(values.size());
  cuda::copy(buffer.span(), values, stream);
  stream.synchronize();
  return buffer;
}

}  // namespace facepipe::test
