// An operator computes one node of the graph on the device, by enqueuing kernels. Operators are
// immutable and own no activations. So many frames can share them and their weights.
#pragma once

#include <cuda_fp16.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "detector/cnn/cuda/chip.h"
#include "detector/cnn/cuda/picture_source.h"
#include "detector/cnn/cuda/tile_chooser.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::engine {

enum class Element { f16, f32 };

/// The channels of a pixel are padded to a multiple of this number.
inline constexpr int kChannelStep = 8;

/// Returns the number of channels with their padding.
[[nodiscard]] constexpr int padded(int channels) {
  return (channels + kChannelStep - 1) / kChannelStep * kChannelStep;
}

/// Describes the position and the layout of a value in the activation memory. Pixels are stored row
/// by row. The channels of a pixel are next to each other ("NHWC") and padded to a multiple of
/// kChannelStep.
///
/// An image is a special layout of the network's input, for stems of 3x3 at stride 2. It has 4
/// channels for each pixel, of which the fourth is 0, and a black pixel before and after each row.
struct Placement {
  std::size_t offset = 0;  ///< in bytes
  Element element = Element::f16;
  graph::MapShape shape;
  int pitch = 0;          ///< number of elements from one pixel to the next
  int first_channel = 0;  ///< not 0 for the second and later parts of a Split
  bool image = false;
  /// The activation that has not been applied yet. The code that reads the value must apply it.
  /// Only outputs of the network may have a pending activation.
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

/// Points to the memory with which operators run: the activations of one frame in flight, and the
/// weights of the network. If a stem reads the picture itself, the frame is needed, too.
struct Memory {
  std::byte* activations = nullptr;
  const std::byte* weights = nullptr;
  const FrameDescriptor* frame = nullptr;  ///< in device memory
};

/// Collects the weights of all operators for one upload.
class WeightPacker {
 public:
  /// Appends `values`. Returns their position, in bytes from the start of all weights.
  template <class T>
  std::size_t append(std::span<const T> values) {
    constexpr std::size_t kAlignment = 256;
    const std::size_t offset = (bytes_.size() + kAlignment - 1) / kAlignment * kAlignment;
    bytes_.resize(offset + values.size_bytes());
    if (!values.empty()) std::memcpy(bytes_.data() + offset, values.data(), values.size_bytes());
    return offset;
  }
  /// Returns all weights in device memory. Waits for the upload. Throws Error(device) if CUDA
  /// fails.
  [[nodiscard]] cuda::DeviceBuffer<std::byte> upload() const;

 private:
  std::vector<std::byte> bytes_;
};

class Operator {
 public:
  virtual ~Operator() = default;

  /// Enqueues kernels and returns. Callers may capture the call in a graph. Throws Error(device) if
  /// CUDA fails.
  virtual void enqueue(const Memory& memory, cuda::StreamView stream) const = 0;
};

/// Holds a node, the placements of its values, and the facts by which a kernel is chosen.
struct NodeContext {
  const graph::Graph& graph;
  const graph::Node& node;
  std::vector<Placement> inputs;
  std::vector<Placement> outputs;
  Chip chip;
  TileChooser& tiles;
  const PictureSource* picture = nullptr;  ///< the picture, if the stem reads it; otherwise null
};

/// A maker: makes the operator for a node. Returns null if the maker doesn't handle this kind of
/// node. Throws Error(device), as graph::refuse() does, if the maker handles the kind but can't
/// compute this node.
using MakeOperator = std::unique_ptr<Operator> (*)(const NodeContext&, WeightPacker&);

/// Tries all makers in turn, the most specialised maker first. Throws Error(device) if no maker
/// handles the node.
[[nodiscard]] std::unique_ptr<Operator> make_operator(const NodeContext& context,
                                                      WeightPacker& packer);

// Each maker is defined in a file of this folder or of a folder in it.
[[nodiscard]] std::unique_ptr<Operator> make_convolution(const NodeContext&, WeightPacker&);
[[nodiscard]] std::unique_ptr<Operator> make_depthwise(const NodeContext&, WeightPacker&);
[[nodiscard]] std::unique_ptr<Operator> make_pooling(const NodeContext&, WeightPacker&);
[[nodiscard]] std::unique_ptr<Operator> make_upsample(const NodeContext&, WeightPacker&);
[[nodiscard]] std::unique_ptr<Operator> make_elementwise(const NodeContext&, WeightPacker&);
[[nodiscard]] std::unique_ptr<Operator> make_channels(const NodeContext&, WeightPacker&);
[[nodiscard]] std::unique_ptr<Operator> make_inverted_residual(const NodeContext&, WeightPacker&);
[[nodiscard]] std::unique_ptr<Operator> make_pairs(const NodeContext&, WeightPacker&);
[[nodiscard]] std::unique_ptr<Operator> make_stem(const NodeContext&, WeightPacker&);
[[nodiscard]] std::unique_ptr<Operator> make_pyramid_step(const NodeContext&, WeightPacker&);

/// value_pointer() returns the address of a value's first channel. weight_pointer() returns the
/// address of weights, whose offset WeightPacker::append() has returned.
template <class T>
[[nodiscard]] T* value_pointer(const Memory& memory, const Placement& placement) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): typed memory in one block
  return reinterpret_cast<T*>(memory.activations + placement.offset) + placement.first_channel;
}
/// Returns the address of a value's first channel, for any element type.
[[nodiscard]] inline void* value_address(const Memory& memory, const Placement& placement) {
  return placement.element == Element::f32
             ? static_cast<void*>(value_pointer<float>(memory, placement))
             : value_pointer<__half>(memory, placement);
}
template <class T>
[[nodiscard]] const T* weight_pointer(const Memory& memory, std::size_t offset) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): typed memory in one block
  return reinterpret_cast<const T*>(memory.weights + offset);
}

/// Throws Error(device) unless all inputs and outputs of the node are f16, are not part of another
/// value and have no pending activation. With `f32_output`, outputs may be f32.
void expect_plain(const NodeContext& context, bool f32_output);

/// Does the same, but inputs and outputs may be parts of another value. A part must begin at a
/// multiple of 8 channels. An output that is a part consists of whole chunks. A part has the
/// Placement::pitch of the whole value. If a part doesn't end with a whole chunk, the rest of its
/// last chunk belongs to the next part.
void expect_parts(const NodeContext& context, bool f32_output);

/// Throws the error of graph::refuse(). Its reason also says which engines compute the node.
[[noreturn]] void refuse_node(const graph::Graph& graph, const graph::Node& node,
                              const std::string& reason);

}  // namespace facepipe::detector::engine
