#include "detector/cnn/model/fold_pointwise.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detector/cnn/model/canonical/rewriting.h"

namespace facepipe::detector {
namespace {

constexpr std::int64_t kMostChannels = 1 << 16;
// Less than a second of work. Networks need half of it at most; a file whose nodes share large
// weights could ask for days.
constexpr std::int64_t kMostProducts = std::int64_t{1} << 29;

/// The extents of the matrix that a 1x1 convolution is.
struct Extents {
  std::int64_t outputs = 0;
  std::int64_t inputs = 0;
};

/// The weights of a 1x1 convolution: a matrix of outputs x inputs, and a bias for each output.
struct Pointwise : Extents {
  std::vector<float> weights;
  std::vector<float> bias;

  [[nodiscard]] float at(std::int64_t output, std::int64_t input) const {
    return weights[static_cast<std::size_t>(output * inputs + input)];
  }
};

/// Tensors by name, and how many inputs and outputs read each value of the graph.
struct Index {
  explicit Index(const onnx::GraphProto& graph) {
    for (const onnx::TensorProto& tensor : graph.initializer()) tensors[tensor.name()] = &tensor;
    for (const onnx::NodeProto& node : graph.node())
      for (const std::string& input : node.input()) ++readers[input];
    for (const onnx::ValueInfoProto& output : graph.output()) ++readers[output.name()];
  }
  [[nodiscard]] int reads_of(const std::string& name) const {
    const auto found = readers.find(name);
    return found == readers.end() ? 0 : found->second;
  }

  std::map<std::string, const onnx::TensorProto*> tensors;
  std::map<std::string, int> readers;
};

std::optional<std::vector<float>> floats_of(const Index& index, const std::string& name,
                                            std::int64_t count) {
  const auto found = index.tensors.find(name);
  if (found == index.tensors.end()) return std::nullopt;
  const onnx::TensorProto& tensor = *found->second;
  if (tensor.data_type() != onnx::TensorProto::FLOAT || count <= 0) return std::nullopt;
  std::vector<float> values(static_cast<std::size_t>(count));
  if (tensor.raw_data().size() == values.size() * sizeof(float))
    std::memcpy(values.data(), tensor.raw_data().data(), tensor.raw_data().size());
  else if (tensor.float_data_size() == static_cast<int>(values.size()))
    std::copy(tensor.float_data().begin(), tensor.float_data().end(), values.begin());
  else
    return std::nullopt;
  return values;
}

/// Tells whether every number of an attribute is `value`. An attribute that is not there has ONNX's
/// default, and counts as `value`.
bool all_are(const onnx::NodeProto& node, std::string_view name, std::int64_t value) {
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.name() != name) continue;
    const auto same = [value](std::int64_t number) { return number == value; };
    return attribute.has_i() ? attribute.i() == value
                             : std::all_of(attribute.ints().begin(), attribute.ints().end(), same);
  }
  return true;
}

/// `any_stride` allows strides. Only the second convolution of a pair may skip pixels.
std::optional<Extents> extents_of(const Index& index, const onnx::NodeProto& node,
                                  bool any_stride) {
  if (node.op_type() != "Conv" || node.input_size() < 2 || node.output_size() != 1)
    return std::nullopt;
  const auto found = index.tensors.find(node.input(1));
  if (found == index.tensors.end()) return std::nullopt;
  const auto& dims = found->second->dims();
  if (dims.size() != 4 || dims[2] != 1 || dims[3] != 1) return std::nullopt;
  const bool plain = all_are(node, "group", 1) && all_are(node, "pads", 0) &&
                     (any_stride || all_are(node, "strides", 1));
  const auto sane = [](std::int64_t count) { return count > 0 && count <= kMostChannels; };
  return plain && sane(dims[0]) && sane(dims[1]) ? std::optional(Extents{dims[0], dims[1]})
                                                 : std::nullopt;
}

std::optional<Pointwise> pointwise_of(const Index& index, const onnx::NodeProto& node,
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

/// Walks over the nodes once, in their order, in which each node comes after those whose values it
/// reads.
class PairFolder {
 public:
  explicit PairFolder(onnx::GraphProto& graph) : graph_(graph), index_(graph) {
    for (const auto& [name, tensor] : index_.tensors) names_.insert(name);
    for (const auto& [name, count] : index_.readers) names_.insert(name);
  }

  int run() {
    std::vector<bool> kept(static_cast<std::size_t>(graph_.node_size()), true);
    int folded = 0;
    for (int n = 0; n < graph_.node_size(); ++n) {
      // The product may be the second one of another pair.
      for (int first = fold_into(n); first >= 0; first = fold_into(n)) {
        kept[static_cast<std::size_t>(first)] = false;
        ++folded;
      }
      for (const std::string& output : graph_.node(n).output()) producers_[output] = n;
    }
    keep_nodes(graph_, kept);
    return folded;
  }

 private:
  /// Makes a node the product of itself and the one before it. Returns the index of the other one,
  /// which nobody reads any more, or -1 if they are no pair.
  int fold_into(int n) {
    const onnx::NodeProto& second = graph_.node(n);
    if (second.input_size() < 2 || index_.reads_of(second.input(0)) != 1) return -1;
    const auto producer = producers_.find(second.input(0));
    if (producer == producers_.end()) return -1;
    const onnx::NodeProto& first = graph_.node(producer->second);
    const auto inner = extents_of(index_, first, false);
    const auto outer = extents_of(index_, second, true);
    if (!inner || !outer || outer->inputs != inner->outputs || !is_worth_it(*inner, *outer))
      return -1;
    const auto inner_weights = pointwise_of(index_, first, *inner);
    const auto outer_weights = pointwise_of(index_, second, *outer);
    if (!inner_weights || !outer_weights) return -1;
    write_product(first, *graph_.mutable_node(n), product(*inner_weights, *outer_weights));
    return producer->second;
  }

  void write_product(const onnx::NodeProto& first, onnx::NodeProto& second,
                     const Pointwise& weights) {
    const std::string stem = second.output(0) + ".folded";
    second.clear_input();
    second.add_input(first.input(0));
    second.add_input(
        add_tensor(stem + ".weight", {weights.outputs, weights.inputs, 1, 1}, weights.weights));
    second.add_input(add_tensor(stem + ".bias", {weights.outputs}, weights.bias));
  }

  std::string add_tensor(std::string name, const std::vector<std::int64_t>& dims,
                         const std::vector<float>& values) {
    while (!names_.insert(name).second) name += '+';
    // The list holds pointers, so that those in the index stay valid.
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t dim : dims) tensor.add_dims(dim);
    tensor.set_raw_data(values.data(), values.size() * sizeof(float));
    index_.tensors[name] = &tensor;
    return name;
  }

  bool is_worth_it(const Extents& first, const Extents& second) {
    if (!saves_work(first, second)) return false;
    const std::int64_t products = second.outputs * first.outputs * first.inputs;
    if (products > left_) return false;
    left_ -= products;
    return true;
  }

  onnx::GraphProto& graph_;
  Index index_;
  std::set<std::string> names_;
  std::map<std::string, int> producers_;
  std::int64_t left_ = kMostProducts;
};

}  // namespace

int fold_pointwise_pairs(onnx::GraphProto& graph) { return PairFolder(graph).run(); }

}  // namespace facepipe::detector
