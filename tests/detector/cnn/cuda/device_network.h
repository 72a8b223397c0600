// Runs a network with its memory, for tests and measurements: uploads a tensor, runs the network
// once, and downloads any value.
#pragma once

#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "detector/cnn/cuda/network.h"
#include "tests/support/graph_interpreter.h"

namespace facepipe::test {

/// Returns the index of an element of a value, relative to the value's memory.
inline std::size_t element_of(const detector::engine::Placement& place, int channel, int y, int x) {
  const int left = place.image ? 1 : 0;
  const auto pixel = static_cast<std::size_t>(y) * static_cast<std::size_t>(place.row_pixels()) +
                     static_cast<std::size_t>(x + left);
  return pixel * static_cast<std::size_t>(place.pitch) +
         static_cast<std::size_t>(place.first_channel + channel);
}

inline float pending_applied(float value, detector::graph::Activation activation) {
  if (activation == detector::graph::Activation::relu) return std::max(value, 0.0F);
  if (activation == detector::graph::Activation::sigmoid) return 1 / (1 + std::exp(-value));
  if (activation == detector::graph::Activation::silu) return value / (1 + std::exp(-value));
  return value;
}

/// Downloads a value of the last run, as a tensor with channels outermost. If an activation is
/// still pending for the value, applies it.
inline Tensor download(const detector::engine::Placement& place, std::byte* activations,
                       const cuda::Stream& stream) {
  std::vector<std::byte> bytes(place.bytes());
  cuda::copy(std::span<std::byte>(bytes),
             cuda::DeviceSpan<const std::byte>{activations + place.offset, bytes.size()}, stream);
  stream.synchronize();
  const auto* const halves = reinterpret_cast<const __half*>(bytes.data());
  const auto* const floats = reinterpret_cast<const float*>(bytes.data());
  Tensor out;
  for (int c = 0; c < place.shape.channels; ++c)
    for (int y = 0; y < place.shape.height; ++y)
      for (int x = 0; x < place.shape.width; ++x) {
        const std::size_t i = element_of(place, c, y, x);
        const float value =
            place.element == detector::engine::Element::f32 ? floats[i] : __half2float(halves[i]);
        out.push_back(pending_applied(value, place.pending));
      }
  return out;
}

class DeviceNetwork {
 public:
  explicit DeviceNetwork(
      const detector::graph::Graph& graph,
      detector::engine::Network::Reuse reuse = detector::engine::Network::Reuse::nothing)
      : network_(graph, reuse), activations_(network_.activation_bytes()) {
    // The bytes 0xff are a NaN in both types (halves and floats), so that tests find elements that
    // no kernel has written.
    cuda::fill(activations_.span(), 0xff, stream_);
  }

  [[nodiscard]] const detector::engine::Network& network() const { return network_; }
  [[nodiscard]] const cuda::Stream& stream() const { return stream_; }
  [[nodiscard]] std::byte* activations() const { return activations_.data(); }

  /// Uploads a tensor with channels outermost, rounded to halves.
  void upload(const Tensor& input) {
    const detector::engine::Placement& place = network_.input();
    std::vector<__half> halves(place.bytes() / sizeof(__half), __float2half(0.0F));
    std::size_t i = 0;
    for (int c = 0; c < place.shape.channels; ++c)
      for (int y = 0; y < place.shape.height; ++y)
        for (int x = 0; x < place.shape.width; ++x)
          halves[element_of(place, c, y, x)] = __float2half(input[i++]);
    cuda::copy(cuda::DeviceSpan<std::byte>{activations_.data() + place.offset, place.bytes()},
               std::as_bytes(std::span<const __half>(halves)), stream_);
    stream_.synchronize();
  }
  void run() {
    network_.enqueue(activations_.data(), stream_);
    stream_.synchronize();
  }
  [[nodiscard]] Tensor value(detector::graph::ValueId id) const {
    return download(network_.place(id), activations_.data(), stream_);
  }

 private:
  cuda::Stream stream_;
  detector::engine::Network network_;
  cuda::DeviceBuffer<std::byte> activations_;
};

}  // namespace facepipe::test
