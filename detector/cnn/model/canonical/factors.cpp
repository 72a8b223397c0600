#include <algorithm>
#include <map>
#include <unordered_map>

#include "detector/cnn/model/canonical/passes.h"

namespace facepipe::detector {
namespace {

/// Finds constant factors of convolutions' results, and folds these factors into the convolutions'
/// weights.
class FactorFolder {
 public:
  explicit FactorFolder(Rewriting& to) : to_(to), index_(to.graph()) {}

  void run() {
    onnx::GraphProto& graph = to_.graph();
    std::vector<bool> kept(static_cast<std::size_t>(graph.node_size()), true);
    for (int n = 0; n < graph.node_size(); ++n) {
      const onnx::NodeProto& node = graph.node(n);
      if (node.output_size() != 1) continue;
      if (node.op_type() == "Conv") convolutions_[node.output(0)] = n;
      if (node.op_type() == "Mul" && node.input_size() == 2 && (take(node, 0) || take(node, 1)))
        kept[static_cast<std::size_t>(n)] = false;
    }
    for (const auto& [n, factors] : factors_) scale(*graph.mutable_node(n), factors);
    keep_nodes(graph, kept);
  }

 private:
  using Factors = std::vector<float>;  // one factor for each output of a convolution

  /// If `product` multiplies a convolution's result by its constant input number `constant`,
  /// records the factors for this convolution and returns true. Otherwise returns false.
  bool take(const onnx::NodeProto& product, int constant) {
    const std::string& scaled = product.input(1 - constant);
    const auto found = convolutions_.find(scaled);
    if (found == convolutions_.end() || index_.reads_of(scaled) != 1) return false;
    const int n = found->second;
    onnx::NodeProto& convolution = *to_.graph().mutable_node(n);
    const onnx::TensorProto* const weights =
        convolution.input_size() > 1 ? index_.weights(convolution.input(1)) : nullptr;
    if (weights == nullptr || weights->dims_size() < 1) return false;
    const Factors factors = factors_of(product, constant, weights->dims(0));
    if (factors.empty()) return false;
    Factors& all = factors_.try_emplace(n, factors.size(), 1.0F).first->second;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] *= factors[i];
    convolution.set_output(0, product.output(0));
    convolutions_[product.output(0)] = n;
    return true;
  }

  /// Returns one factor for each of `channels` channels, or nothing if the input isn't a constant
  /// with one number or with one number for each channel.
  [[nodiscard]] Factors factors_of(const onnx::NodeProto& product, int constant,
                                   std::int64_t channels) const {
    const onnx::TensorProto* const tensor = index_.weights(product.input(constant));
    if (tensor == nullptr || tensor->data_type() != onnx::TensorProto::FLOAT || channels < 1)
      return {};
    const std::vector<std::int64_t> dims(tensor->dims().begin(), tensor->dims().end());
    const bool one = std::ranges::all_of(dims, [](std::int64_t dim) { return dim == 1; });
    const bool by_channel = dims == std::vector<std::int64_t>{channels, 1, 1} ||
                            dims == std::vector<std::int64_t>{1, channels, 1, 1};
    if (!by_channel && (!one || dims.size() > 4)) return {};
    const graph::OnnxNode node(product, index_.weights(), to_.source());
    Factors values = node.floats(constant);
    if (one) values.assign(static_cast<std::size_t>(channels), values.front());
    return values;
  }

  /// Gives a convolution scaled copies of its weights, because other nodes may share the weights.
  void scale(onnx::NodeProto& proto, const Factors& factors) {
    const graph::OnnxNode node(proto, index_.weights(), to_.source());
    std::vector<float> weights = node.floats(1);
    const std::size_t taps = weights.size() / factors.size();
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= factors[i / taps];
    std::vector<float> bias;
    if (node.has_input(2)) bias = node.floats(2, static_cast<std::int64_t>(factors.size()));
    for (std::size_t i = 0; i < bias.size(); ++i) bias[i] *= factors[i];
    const std::string stem = proto.output(0) + ".scaled";
    const std::vector<std::int64_t> dims = node.extents(1);
    proto.set_input(1, to_.add_weights(stem + ".weight", dims, weights));
    if (!bias.empty())
      proto.set_input(
          2, to_.add_weights(stem + ".bias", {static_cast<std::int64_t>(bias.size())}, bias));
  }

  Rewriting& to_;
  OnnxIndex index_;
  std::unordered_map<std::string, int> convolutions_;  ///< nodes of convolutions, by result
  std::map<int, Factors> factors_;                     ///< factors, by the node of the convolution
};

}  // namespace

void fold_factors(Rewriting& to) { FactorFolder(to).run(); }

}  // namespace facepipe::detector
