// Represents a network as a small graph of typed operators. The graph holds the content of a file,
// and passes change it before an engine plans it for a device. It consists of plain values on the
// host, and doesn't depend on a file format or a device.
//
// The network processes one picture at a time: every map has the extents 1 x channels x height x
// width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/geometry.h"

namespace facepipe::detector::graph {

/// Identifies a value that flows between nodes: an index into Graph::values.
using ValueId = int;

/// A range of integers, which contains both ends.
struct IntegerRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
  friend bool operator==(const IntegerRange&, const IntegerRange&) = default;
};

struct Value {
  std::string name;
  std::vector<std::int64_t> extents;  ///< filled by infer_shapes(), except for weights
  /// Empty if the value has floats. Otherwise the range of all integers, or one range for each
  /// index on the last axis. Filled by infer_shapes(), except for weights.
  std::vector<IntegerRange> integers{};
};

/// Holds the extents of a map, without the leading 1.
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
  int top = 0;  ///< rows of padding; a convolution reads zeros there, a maximum ignores them
  int left = 0;
  int bottom = 0;
  int right = 0;

  [[nodiscard]] int taps() const { return kernel_height * kernel_width; }
  friend bool operator==(const Window&, const Window&) = default;
};

/// Returns a window of 3x3 with a padding of 1 on all sides.
[[nodiscard]] constexpr Window window_3x3(int stride = 1) {
  return {3, 3, stride, stride, 1, 1, 1, 1};
}

/// silu(x) is x * sigmoid(x) (Elfwing et al., "Sigmoid-Weighted Linear Units", 2018).
enum class Activation { none, relu, sigmoid, silu };

/// Returns whether a kernel with optional relu can compute the activation.
[[nodiscard]] constexpr bool is_none_or_relu(Activation activation) {
  return activation == Activation::none || activation == Activation::relu;
}

/// Computes activation(convolution(input 0) + bias), plus input 1 if there is one.
struct Convolution {
  Window window;
  int inputs = 0;
  int outputs = 0;
  int groups = 1;
  std::vector<float> weights;  ///< outputs x (inputs / groups) x kernel height x kernel width
  std::vector<float> bias;     ///< one value for each output
  Activation activation = Activation::none;

  [[nodiscard]] bool depthwise() const { return groups == inputs && groups == outputs; }
  /// Returns whether the convolution is 1x1 without strides, which is a matrix product.
  [[nodiscard]] bool pointwise() const { return groups == 1 && window == Window{}; }
};

/// Computes a transposed Convolution. Kernel and stride are equal, so no output pixel depends on
/// two input pixels.
struct TransposedConvolution {
  int factor = 2;
  int inputs = 0;
  int outputs = 0;
  std::vector<float> weights;  ///< inputs x outputs x factor x factor
  std::vector<float> bias;
  Activation activation = Activation::none;
};

/// Computes project(depthwise(expand(input 0))), plus input 1 if there is one. This is the block of
/// MobileNetV2. The first and the last convolution are pointwise(). The second has a window of 3x3
/// with padding 1 on all sides and equal strides. The first two have a relu.
struct InvertedResidual {
  Convolution expand;
  Convolution depthwise;
  Convolution project;
};

/// Computes scale * input + shift for each channel.
struct BatchNormalization {
  std::vector<float> scale;
  std::vector<float> shift;
};

struct Activate {
  Activation function = Activation::relu;
};

struct Add {};

/// Computes the product of two maps, number by number.
struct Multiply {};

/// Computes input 0 if it is above 0, and `slope` * input 0 otherwise.
struct LeakyRelu {
  float slope = 0.01F;
};

/// Joins the channels of all inputs in their order.
struct Concat {};

/// Shuffles channels (Zhang et al., "ShuffleNet", 2017). The input has `groups` groups of
/// consecutive channels. The output begins with the first channel of each group, then has the
/// second channel of each group, and so on.
struct Shuffle {
  int groups = 2;  ///< divides the number of channels
};

struct MaxPool {
  Window window;
};

/// Repeats each pixel `factor` times on both axes, and adds input 1 if there is one.
struct Upsample {
  int factor = 2;
};

struct Transpose {
  std::vector<int> order;
};

struct Reshape {
  std::vector<std::int64_t> extents;  ///< as in the file: 0 keeps an extent, -1 takes the rest
};

/// Divides the channels of the input. Each output consists of consecutive channels.
struct Split {
  std::vector<int> channels;
};

/// Describes a 1x1 convolution and the depthwise 3x3 convolution that is its only reader, with
/// stride 1 and padding 1. The value between them is zero outside of the picture, like the padding
/// of the depthwise convolution.
struct Pair {
  Convolution pointwise;  ///< no activation
  Convolution depthwise;  ///< no activation, or relu
};

/// Describes a pair and the operations before and after it. A chain has one input, a map. If
/// `upsampled` is true, it has two inputs: a map that is repeated twice on both axes, and a map
/// that is then added. If `keeps` is true, the pair's result is an output. If `pools` is true, the
/// maxima of this result over windows of 2x2 are another output.
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

/// Describes chains that are computed together. No chain reads the result of another one. The
/// inputs are those of the first chain, then those of the second, and so on. The outputs have the
/// same order.
struct PairChains {
  std::vector<PairChain> chains;
};

/// Computes the first layers, which read the picture. They are a 3x3 convolution at stride 2 with
/// padding 1, and optionally a depthwise 3x3 convolution and a 1x1 convolution. See fuse_stem().
struct Stem {
  std::vector<Convolution> layers;  ///< 1 or 3 layers
};

/// Computes up(input 0) + lateral(input 1): a step down a feature pyramid (Lin et al., "Feature
/// Pyramid Networks", 2017). `lateral` is pointwise(). See fuse_pyramid().
struct PyramidStep {
  TransposedConvolution up;
  Convolution lateral;
};

/// Describes what a Slice takes from one axis, as in the file: `end` is the index after the last
/// one, and negative indices count from the axis's end.
struct AxisSlice {
  std::int64_t axis = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;  ///< >= 1
};

/// Computes an operator of ONNX on values with any number of axes. Its inputs may be weights, which
/// are then values without a producer. Only libraries on the CPU compute it; row_operator.h has its
/// rules.
struct RowOperator {
  std::string type;       ///< ONNX's name of the operator
  std::int64_t axis = 0;  ///< as in the file: a negative axis counts from the end
  /// The sizes of Split's parts, the axes of Unsqueeze, Squeeze and ReduceMax, the extents of
  /// Expand, the repeats of Tile, or the number of values that TopK takes.
  std::vector<std::int64_t> numbers{};
  std::vector<AxisSlice> slices{};  ///< for Slice
  bool keeps = true;                ///< ReduceMax and ArgMax: whether the axis stays, with extent 1
  bool to_floats = true;            ///< Cast: to floats or to integers
};

using Operator =
    std::variant<Convolution, TransposedConvolution, BatchNormalization, Activate, Add, Multiply,
                 LeakyRelu, Concat, Shuffle, MaxPool, Upsample, Transpose, Reshape, Split,
                 InvertedResidual, PairChains, Stem, PyramidStep, RowOperator>;

/// Returns an operator's name for messages and tables, such as "Convolution". The text lives as
/// long as `op`.
[[nodiscard]] const char* name_of(const Operator& op);

struct Node {
  std::string name;  ///< name of the node in the file, or of the value that it computes
  Operator op;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
};

/// Says how readers interpret the values of an output.
enum class OutputLayout {
  as_computed,
  cells,     ///< a map was computed, which in the file is 1 x (height * width * cells of a place) x
             ///< channels of a cell
  features,  ///< a map inside the network, in the precision of its layers
};

struct Output {
  std::string name;
  ValueId value = 0;
  OutputLayout layout = OutputLayout::as_computed;
};

struct Graph {
  std::string source;  ///< the file's path, for messages
  std::vector<Value> values;
  std::vector<Node> nodes;  ///< each node comes after those whose values it reads
  ValueId input = 0;
  int input_channels = 3;
  std::vector<Output> outputs;

  [[nodiscard]] ValueId add_value(const std::string& name);
  [[nodiscard]] const Value& value(ValueId id) const {
    return values[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] Value& value(ValueId id) { return values[static_cast<std::size_t>(id)]; }
  /// Throws Error(internal) if the value is not a map.
  [[nodiscard]] MapShape map(ValueId id) const;
};

/// Says which nodes compute and read each value. It is a snapshot: after each change of the graph,
/// a new one must be made.
class Uses {
 public:
  explicit Uses(const Graph& graph);

  /// Returns the index of the node that computes the value, or -1 for the graph's input.
  [[nodiscard]] int producer(ValueId value) const {
    return producers_[static_cast<std::size_t>(value)];
  }
  /// Returns the indices of the nodes that read the value, in order.
  [[nodiscard]] const std::vector<int>& readers(ValueId value) const {
    return readers_[static_cast<std::size_t>(value)];
  }
  [[nodiscard]] bool is_output(ValueId value) const {
    return outputs_[static_cast<std::size_t>(value)];
  }
  /// Returns the index of the only node that reads the value, or -1.
  [[nodiscard]] int only_reader(ValueId value) const {
    return private_to_one_reader(value) ? readers(value)[0] : -1;
  }
  /// Returns the index of the node that computes the value, if it has only one reader; otherwise
  /// -1.
  [[nodiscard]] int private_producer(ValueId value) const {
    return private_to_one_reader(value) ? producer(value) : -1;
  }
  /// Returns whether exactly one node reads the value and the graph doesn't output it.
  [[nodiscard]] bool private_to_one_reader(ValueId value) const {
    return readers(value).size() == 1 && !is_output(value);
  }

 private:
  std::vector<int> producers_;
  std::vector<std::vector<int>> readers_;
  std::vector<bool> outputs_;
};

/// Returns whether only activations read `value`, and only activations read their results, up to
/// outputs of the graph.
[[nodiscard]] bool reaches_outputs_only(const Graph& graph, const Uses& uses, ValueId value);

/// Returns whether a last layer of the network computes `value`. This is like
/// reaches_outputs_only(), but the readers may also be Splits.
[[nodiscard]] bool is_last(const Graph& graph, const Uses& uses, ValueId value);

/// Returns the node's convolution if nothing is added to it; null for all other nodes.
[[nodiscard]] const Convolution* lone_convolution(const Node& node);

/// Erases a node. The indices of the nodes after it fall by one.
void erase_node(Graph& graph, int index);

/// Throws Error(device), naming the file, the node and the operator.
[[noreturn]] void refuse(const Graph& graph, const Node& node, const std::string& reason);

/// Computes the extents of every value for an input of `size` with the graph's input_channels.
/// Throws the error of refuse() if a node can't take its inputs, or if a tensor would have a larger
/// side, or more channels, than for any picture.
void infer_shapes(Graph& graph, Size size);

}  // namespace facepipe::detector::graph
