#include "detector/cnn/model/fold_pointwise.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detector/cnn/model/canonical/passes.h"

namespace facepipe::detector {
namespace {

constexpr std::int64_t kMostChannels = 1 << 16;
// Limits the work to less than a second. Networks need at most half of this; a file whose nodes
// share large weights could need days.
constexpr std::int64_t kMostProducts = std::int64_t{1} << 29;

/// Holds the extents of a 1x1 convolution's matrix.
struct Extents {
  std::int64_t outputs = 0;
  std::int64_t inputs = 0;
};

/// Holds the weights of a 1x1 convolution: a matrix of outputs x inputs, and a bias for each
/// output.
struct Pointwise : Extents {
  std::vector<float> weights;
  std::vector<float> bias;

  [[nodiscard]] float at(std::int64_t output, std::int64_t input) const {
    return weights[static_cast<std::size_t>(output * inputs + input)];
  }
};

std::optional<std::vector<float>> floats_of(const OnnxIndex& index, const std::string& name,
                                            std::int64_t count) {
  const onnx::TensorProto* const tensor = index.weights(name);
  if (tensor == nullptr || tensor->data_type() != onnx::TensorProto::FLOAT || count <= 0)
    return std::nullopt;
  auto values = graph::values_of<float>(*tensor, count);
  return values.empty() ? std::nullopt : std::optional(std::move(values));
}

/// Returns whether every number of an attribute is `value`. A missing attribute has ONNX's default,
/// and counts as `value`.
bool all_are(const onnx::NodeProto& node, std::string_view name, std::int64_t value) {
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.name() != name) continue;
    const auto same = [value](std::int64_t number) { return number == value; };
    return attribute.has_i() ? attribute.i() == value
                             : std::all_of(attribute.ints().begin(), attribute.ints().end(), same);
  }
  return true;
}

/// Returns the extents of a 1x1 convolution, or nullopt for other nodes. `any_stride` allows
/// strides. Only the second convolution of a pair may skip pixels.
std::optional<Extents> extents_of(const OnnxIndex& index, const onnx::NodeProto& node,
                                  bool any_stride) {
  if (node.op_type() != "Conv" || node.input_size() < 2 || node.output_size() != 1)
    return std::nullopt;
  const onnx::TensorProto* const weights = index.weights(node.input(1));
  if (weights == nullptr) return std::nullopt;
  const auto& dims = weights->dims();
  if (dims.size() != 4 || dims[2] != 1 || dims[3] != 1) return std::nullopt;
  const bool plain = all_are(node, "group", 1) && all_are(node, "pads", 0) &&
                     (any_stride || all_are(node, "strides", 1));
  const auto sane = [](std::int64_t count) { return count > 0 && count <= kMostChannels; };
  return plain && sane(dims[0]) && sane(dims[1]) ? std::optional(Extents{dims[0], dims[1]})
                                                 : std::nullopt;
}

std::optional<Pointwise> pointwise_of(const OnnxIndex& index, const onnx::NodeProto& node,
                                      const Extents& extents) {
  auto weights = floats_of(index, node.input(1), extents.outputs * extents.inputs);
  auto bias = node.input_size() > 2
                  ? floats_of(index, node.input(2), extents.outputs)
                  : std::vector<float>(static_cast<std::size_t>(extents.outputs), 0.0F);
  if (!weights || !bias) return std::nullopt;
  return Pointwise{extents, std::move(*weights), std::move(*bias)};
}

/// Returns second(first(x)) as one convolution. Sums are computed in double, so that only the last
/// rounding changes the result.
Pointwise product(const Pointwise& first, const Pointwise& second) {
  Pointwise result{{second.outputs, first.inputs}, {}, {}};
  for (std::int64_t o = 0; o < second.outputs; ++o) {
    std::vector<double> row(static_cast<std::size_t>(first.inputs), 0.0);
    double bias = second.bias[static_cast<std::size_t>(o)];
    for (std::int64_t m = 0; m < first.outputs; ++m) {
      const double factor = second.at(o, m);
      bias += factor * first.bias[static_cast<std::size_t>(m)];
      for (std::int64_t i = 0; i < first.inputs; ++i)
        row[static_cast<std::size_t>(i)] += factor * first.at(m, i);
    }
    for (const double value : row) result.weights.push_back(static_cast<float>(value));
    result.bias.push_back(static_cast<float>(bias));
  }
  return result;
}

bool saves_work(const Extents& first, const Extents& second) {
  return second.outputs * first.inputs <
         first.outputs * first.inputs + second.outputs * second.inputs;
}

/// Visits the nodes once, in their order. Each node comes after the nodes whose values it reads.
class PairFolder {
 public:
  explicit PairFolder(Rewriting& to) : to_(to), graph_(to.graph()), index_(graph_) {}

  int run() {
    int folded = 0;
    for (int n = 0; n < graph_.node_size(); ++n)
      // The product may itself be the second convolution of another pair.
      while (fold_into(n)) ++folded;
    drop_unread(to_);
    return folded;
  }

 private:
  /// Replaces a node by the product of the node before it and itself. No node then reads the result
  /// of the node before it. Returns false if the two nodes are not folded.
  bool fold_into(int n) {
    const onnx::NodeProto& second = graph_.node(n);
    if (second.input_size() < 2 || index_.reads_of(second.input(0)) != 1) return false;
    const int before = index_.producer(second.input(0));
    if (before < 0 || before >= n) return false;  // broken files may have circles
    const onnx::NodeProto& first = graph_.node(before);
    const auto inner = extents_of(index_, first, false);
    const auto outer = extents_of(index_, second, true);
    if (!inner || !outer || outer->inputs != inner->outputs || !is_worth_it(*inner, *outer))
      return false;
    const auto inner_weights = pointwise_of(index_, first, *inner);
    const auto outer_weights = pointwise_of(index_, second, *outer);
    if (!inner_weights || !outer_weights) return false;
    write_product(first, *graph_.mutable_node(n), product(*inner_weights, *outer_weights));
    return true;
  }

  void write_product(const onnx::NodeProto& first, onnx::NodeProto& second,
                     const Pointwise& weights) {
    const std::string stem = second.output(0) + ".folded";
    second.clear_input();
    second.add_input(first.input(0));
    second.add_input(
        add_weights(stem + ".weight", {weights.outputs, weights.inputs, 1, 1}, weights.weights));
    second.add_input(add_weights(stem + ".bias", {weights.outputs}, weights.bias));
  }

  std::string add_weights(const std::string& stem, const std::vector<std::int64_t>& dims,
                          const std::vector<float>& values) {
    std::string name = to_.add_weights(stem, dims, values);
    index_.add(graph_.initializer(graph_.initializer_size() - 1));
    return name;
  }

  bool is_worth_it(const Extents& first, const Extents& second) {
    if (!saves_work(first, second)) return false;
    const std::int64_t products = second.outputs * first.outputs * first.inputs;
    if (products > left_) return false;
    left_ -= products;
    return true;
  }

  Rewriting& to_;
  onnx::GraphProto& graph_;
  OnnxIndex index_;
  std::int64_t left_ = kMostProducts;
};

}  // namespace

int fold_pointwise_pairs(Rewriting& to) { return PairFolder(to).run(); }

}  // namespace facepipe::detector
