// What a node of the graph becomes on the device: an operator, which enqueues its kernels.
// Operators are immutable and hold no activations, so that many frames share them and their
// weights.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "detector/cnn/cuda/chip.h"
#include "detector/cnn/cuda/picture_source.h"
#include "detector/cnn/cuda/tile_chooser.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::engine {

enum class Element { f16, f32 };

/// Where a value lies in the activation memory. Pixels one after the other, row by row, each with
/// its channels innermost ("NHWC") and padded to a multiple of 8.
///
/// An image is how a stem of 3x3 at stride 2 reads the picture: 4 channels a pixel, the fourth 0,
/// and a black pixel before and after each row.
struct Placement {
  std::size_t offset = 0;  ///< bytes
  Element element = Element::f16;
  graph::MapShape shape;
  int pitch = 0;          ///< elements from one pixel to the next
  int first_channel = 0;  ///< not 0 in parts of a Split
  bool image = false;
  /// What whoever reads it applies first. Only outputs of the network have one.
  graph::Activation pending = graph::Activation::none;

  static constexpr int kImagePitch = 4;

  [[nodiscard]] int row_pixels() const { return image ? shape.width + 2 : shape.width; }
  [[nodiscard]] std::size_t pixels() const {
    return static_cast<std::size_t>(shape.height) * static_cast<std::size_t>(row_pixels());
  }
  [[nodiscard]] std::size_t bytes() const {
    return pixels() * static_cast<std::size_t>(pitch) * (element == Element::f16 ? 2U : 4U);
  }
};

/// Activations of one place, weights of the network, and the frame that a stem reads itself.
struct Memory {
  std::byte* activations = nullptr;
  const std::byte* weights = nullptr;
  const FrameDescriptor* frame = nullptr;  ///< in device memory
};

/// Collects the weights of all operators for one upload.
class WeightPacker {
 public:
  /// @return where they will lie, in bytes from the start
  template <class T>
  std::size_t append(std::span<const T> values) {
    constexpr std::size_t kAlignment = 256;
    const std::size_t offset = (bytes_.size() + kAlignment - 1) / kAlignment * kAlignment;
    bytes_.resize(offset + values.size_bytes());
    if (!values.empty()) std::memcpy(bytes_.data() + offset, values.data(), values.size_bytes());
    return offset;
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class Operator {
 public:
  virtual ~Operator() = default;

  /// Enqueues kernels and returns; capture-safe. Errors: device, where CUDA fails.
  virtual void enqueue(const Memory& memory, cuda::StreamView stream) const = 0;
};

/// A node and where its values lie.
struct NodeContext {
  const graph::Graph& graph;
  const graph::Node& node;
  std::vector<Placement> inputs;
  std::vector<Placement> outputs;
  Chip limits;
  TileChooser& tiles;
  const PictureSource* picture =
      nullptr;  ///< of a graph whose input isn't there: its stem reads it
};

/// Makes the operator of a node, or returns null if it is none of its nodes. Throws Error(device)
/// as graph::refuse() for a node of its kind that it can't compute.
using MakeOperator = std::unique_ptr<Operator> (*)(const NodeContext&, WeightPacker&);

/// Asks each maker in turn, the most special first; Error(device) if none takes the node.
[[nodiscard]] std::unique_ptr<Operator> make_operator(const NodeContext& context,
                                                      WeightPacker& packer);

// The makers, one a file of this folder.
[[nodiscard]] std::unique_ptr<Operator> make_convolution(const NodeContext&, WeightPacker&);
[[nodiscard]] std::unique_ptr<Operator> make_depthwise(const NodeContext&, WeightPacker&);
[[nodiscard]] std::unique_ptr<Operator> make_pooling(const NodeContext&, WeightPacker&);
[[nodiscard]] std::unique_ptr<Operator> make_upsample(const NodeContext&, WeightPacker&);
[[nodiscard]] std::unique_ptr<Operator> make_elementwise(const NodeContext&, WeightPacker&);
[[nodiscard]] std::unique_ptr<Operator> make_inverted_residual(const NodeContext&, WeightPacker&);
[[nodiscard]] std::unique_ptr<Operator> make_pairs(const NodeContext&, WeightPacker&);
[[nodiscard]] std::unique_ptr<Operator> make_stem(const NodeContext&, WeightPacker&);
[[nodiscard]] std::unique_ptr<Operator> make_pyramid_step(const NodeContext&, WeightPacker&);

/// Pointers into `memory`.
template <class T>
[[nodiscard]] T* value_pointer(const Memory& memory, const Placement& placement) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): typed memory in one block
  return reinterpret_cast<T*>(memory.activations + placement.offset) + placement.first_channel;
}
template <class T>
[[nodiscard]] const T* weight_pointer(const Memory& memory, std::size_t offset) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): typed memory in one block
  return reinterpret_cast<const T*>(memory.weights + offset);
}

/// Throws unless every input and output is f16 from its first channel on, but where `f32_output`
/// allows the output to be f32.
void expect_plain(const NodeContext& context, bool f32_output);

}  // namespace facepipe::engine
