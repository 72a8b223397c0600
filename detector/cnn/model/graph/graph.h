// A network as a small graph of typed operators: what a file holds, and what the passes make of it
// before an engine plans it for a device. Plain values on the host; no file format, no device.
//
// A picture is one at a time: every map has the extents 1 x channels x height x width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/geometry.h"

namespace facepipe::detector::graph {

/// A value that flows between nodes: an index into Graph::values.
using ValueId = int;

struct Value {
  std::string name;
  std::vector<std::int64_t> extents;  ///< filled by infer_shapes()
};

/// Extents of a map without the leading 1.
struct MapShape {
  int channels = 0;
  int height = 0;
  int width = 0;
  friend bool operator==(const MapShape&, const MapShape&) = default;
};

struct Window {
  int kernel_height = 1;
  int kernel_width = 1;
  int stride_y = 1;
  int stride_x = 1;
  int top = 0;  ///< rows of padding; zeros, or for a maximum nothing
  int left = 0;
  int bottom = 0;
  int right = 0;

  [[nodiscard]] int taps() const { return kernel_height * kernel_width; }
  friend bool operator==(const Window&, const Window&) = default;
};

/// 3x3 with a padding of 1 on all sides.
[[nodiscard]] constexpr Window window_3x3(int stride = 1) {
  return {3, 3, stride, stride, 1, 1, 1, 1};
}

enum class Activation { none, relu, sigmoid };

/// activation(convolution(input 0) + bias), plus input 1 where there is one.
struct Convolution {
  Window window;
  int inputs = 0;
  int outputs = 0;
  int groups = 1;
  std::vector<float> weights;  ///< outputs x (inputs / groups) x kernel height x kernel width
  std::vector<float> bias;     ///< one an output
  Activation activation = Activation::none;

  [[nodiscard]] bool depthwise() const { return groups == inputs && groups == outputs; }
  /// 1x1 without strides: a matrix product.
  [[nodiscard]] bool pointwise() const { return groups == 1 && window == Window{}; }
};

/// As Convolution, transposed. Kernel and stride are equal, so that no two inputs share an output.
struct TransposedConvolution {
  int factor = 2;
  int inputs = 0;
  int outputs = 0;
  std::vector<float> weights;  ///< inputs x outputs x factor x factor
  std::vector<float> bias;
  Activation activation = Activation::none;
};

/// project(depthwise(expand(input 0))), plus input 1 where there is one: the block of MobileNetV2.
/// The first and the last are pointwise(), the second has a window of 3x3 with padding 1 all round
/// and equal strides; the first two have a relu.
struct InvertedResidual {
  Convolution expand;
  Convolution depthwise;
  Convolution project;
};

/// scale * input + shift, a channel at a time.
struct BatchNormalization {
  std::vector<float> scale;
  std::vector<float> shift;
};

struct Activate {
  Activation function = Activation::relu;
};

struct Add {};

struct MaxPool {
  Window window;
};

/// Each pixel repeated factor times on both axes, plus input 1 where there is one.
struct Upsample {
  int factor = 2;
};

struct Transpose {
  std::vector<int> order;
};

struct Reshape {
  std::vector<std::int64_t> extents;  ///< as in the file: 0 keeps one, -1 is what is left
};

/// Consecutive channels of the input, one output each.
struct Split {
  std::vector<int> channels;
};

/// A 1x1 convolution and the depthwise 3x3 one, of stride 1 and padding 1, that alone reads it.
/// What lies between them is zero outside the picture, as the latter's padding is.
struct Pair {
  Convolution pointwise;  ///< no activation
  Convolution depthwise;  ///< no activation, or relu
};

/// A pair with what is computed before and behind it. Inputs: a map, or with `upsampled` one that
/// is repeated twice on both axes and one that is then added to it. Outputs: the pair's where
/// `keeps`, then its maxima over windows of 2x2 where `pools`.
struct PairChain {
  Pair pair;
  bool upsampled = false;
  bool keeps = true;
  bool pools = false;

  [[nodiscard]] std::size_t input_count() const { return upsampled ? 2 : 1; }
  [[nodiscard]] std::size_t output_count() const {
    return static_cast<std::size_t>(keeps) + static_cast<std::size_t>(pools);
  }
};

/// Chains of which none reads another, computed together: the inputs of the first, then those of
/// the second; outputs likewise.
struct PairChains {
  std::vector<PairChain> chains;
};

/// What reads the picture, several convolutions in a row as one: 3x3 at stride 2 with padding 1,
/// and where there is more, depthwise 3x3 and 1x1. See fuse_stem().
struct Stem {
  std::vector<Convolution> layers;  ///< 1 or 3
};

/// up(input 0) + lateral(input 1): a step down a feature pyramid (Lin et al., "Feature Pyramid
/// Networks", 2017). The lateral one is pointwise(). See fuse_pyramid().
struct PyramidStep {
  TransposedConvolution up;
  Convolution lateral;
};

using Operator = std::variant<Convolution, TransposedConvolution, BatchNormalization, Activate, Add,
                              MaxPool, Upsample, Transpose, Reshape, Split, InvertedResidual,
                              PairChains, Stem, PyramidStep>;

/// "Convolution", as messages and tables name it.
[[nodiscard]] const char* name_of(const Operator& op);

struct Node {
  std::string name;  ///< of the node in the file, or of what it computes
  Operator op;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
};

/// How the values of an output are to be read.
enum class OutputLayout {
  as_computed,
  cells,     ///< computed as a map; the file promises 1 x (height * width) x channels
  features,  ///< a map within the network, in whatever precision its layers have
};

struct Output {
  std::string name;
  ValueId value = 0;
  OutputLayout layout = OutputLayout::as_computed;
};

struct Graph {
  std::string source;  ///< the file, for messages
  std::vector<Value> values;
  std::vector<Node> nodes;  ///< each after those that it reads
  ValueId input = 0;
  int input_channels = 3;
  std::vector<Output> outputs;

  [[nodiscard]] ValueId add_value(const std::string& name);
  [[nodiscard]] const Value& value(ValueId id) const {
    return values[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] Value& value(ValueId id) { return values[static_cast<std::size_t>(id)]; }
  /// Throws Error(internal) for a value that is no map.
  [[nodiscard]] MapShape map(ValueId id) const;
};

/// Who computes and who reads each value. A snapshot: made anew after each change of the graph.
class Uses {
 public:
  explicit Uses(const Graph& graph);

  /// Index of the node that computes it; -1 for the graph's input.
  [[nodiscard]] int producer(ValueId value) const {
    return producers_[static_cast<std::size_t>(value)];
  }
  /// Indices of the nodes that read it, in order.
  [[nodiscard]] const std::vector<int>& readers(ValueId value) const {
    return readers_[static_cast<std::size_t>(value)];
  }
  [[nodiscard]] bool is_output(ValueId value) const {
    return outputs_[static_cast<std::size_t>(value)];
  }
  /// Index of the node that alone reads it, or -1.
  [[nodiscard]] int only_reader(ValueId value) const {
    return private_to_one_reader(value) ? readers(value)[0] : -1;
  }
  /// Index of the node that computes it for one reader alone, or -1.
  [[nodiscard]] int private_producer(ValueId value) const {
    return private_to_one_reader(value) ? producer(value) : -1;
  }
  /// One node reads it and the graph doesn't hand it out.
  [[nodiscard]] bool private_to_one_reader(ValueId value) const {
    return readers(value).size() == 1 && !is_output(value);
  }

 private:
  std::vector<int> producers_;
  std::vector<std::vector<int>> readers_;
  std::vector<bool> outputs_;
};

/// Every reader of `value` is an activation of which the same holds, up to outputs of the graph.
[[nodiscard]] bool reaches_outputs_only(const Graph& graph, const Uses& uses, ValueId value);

/// As reaches_outputs_only(), through Splits too: what computes `value` is a last layer.
[[nodiscard]] bool is_last(const Graph& graph, const Uses& uses, ValueId value);

/// The node's convolution where nothing is added to it; null for all other nodes.
[[nodiscard]] const Convolution* lone_convolution(const Node& node);

/// Those behind it move up.
void erase_node(Graph& graph, int index);

/// Throws Error(device) that names the file, the node and the operator.
[[noreturn]] void refuse(const Graph& graph, const Node& node, const std::string& reason);

/// Computes the extents of every value for an input of `size` with the graph's input_channels.
/// Errors: device, as refuse(), where a node can't take what it is given, or where a tensor would
/// have a side, or a number of channels, that no picture leads to.
void infer_shapes(Graph& graph, Size size);

}  // namespace facepipe::detector::graph
