#include "detector/cnn/model/graph/onnx_check.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_set>

#include "core/terminal_text.h"
#include "detector/cnn/model/graph/onnx_import.h"
#include "detector/cnn/model/graph/onnx_node.h"
#include "detector/model_file.h"

namespace facepipe::detector::graph {
namespace {

constexpr std::int64_t kOldestOpset = 7;
constexpr std::int64_t kNewestOpset = 21;
constexpr std::int64_t kFirstWithoutWeightsAmongInputs = 4;  // a version of the file format
constexpr std::int64_t kMostElements = std::int64_t{1} << 28;
constexpr int kMostRank = 8;
// CenterFace's largest value holds 24 numbers for each pixel of the picture, and YuNet's holds 4.
constexpr std::int64_t kMostOfAPixel = 128;

using onnx::AttributeProto;
using onnx::TensorProto;

class Check {
 public:
  Check(const onnx::ModelProto& model, const std::string& source)
      : model_(model), source_(source) {}

  /// `any_numbers` allows weights of types that no code reads.
  void check_weights(bool any_numbers) {
    check_opset();
    const onnx::GraphProto& graph = model_.graph();
    if (graph.sparse_initializer_size() > 0) fail("sparse weights are not supported");
    if (model_.functions_size() > 0) fail("functions are not supported");
    for (const TensorProto& tensor : graph.initializer()) check_tensor(tensor, any_numbers);
  }

  void check_attributes() const {
    for (const onnx::NodeProto& node : model_.graph().node()) check_node(node);
  }

  /// Checks that each value has one origin, which comes before its readers.
  void check_order() const {
    const onnx::GraphProto& graph = model_.graph();
    if (graph.node_size() > kMostNodes) fail("more than " + std::to_string(kMostNodes) + " nodes");
    std::unordered_set<std::string_view> known(names_.begin(), names_.end());
    for (const onnx::ValueInfoProto& input : graph.input())
      if (!names_.contains(input.name()) && !known.insert(input.name()).second)
        fail("has two inputs " + shown_name(input.name()));
    for (const onnx::NodeProto& node : graph.node()) {
      for (const std::string& input : node.input())
        if (!input.empty() && !known.contains(input))
          fail(named(node) + "nothing before it computes its input " + shown_name(input));
      for (const std::string& output : node.output())
        if (!output.empty() && !known.insert(output).second)
          fail(named(node) + "its output has no name, or the name of another value");
    }
  }

  [[nodiscard]] const std::set<std::string>& weights() const { return names_; }

 private:
  [[noreturn]] void fail(const std::string& reason) const { refuse_model(source_, reason); }

  void check_opset() const {
    if (model_.opset_import_size() != 1) fail("its operators must come from one operator set");
    const onnx::OperatorSetIdProto& opset = model_.opset_import(0);
    if (!opset.domain().empty() && opset.domain() != "ai.onnx")
      fail("operators of domain " + shown_name(opset.domain()) + " are not supported");
    if (opset.version() < kOldestOpset || opset.version() > kNewestOpset)
      fail("operator set " + std::to_string(opset.version()) + " is not supported");
  }

  static std::string named(const onnx::NodeProto& node) {
    const bool has_name = !node.name().empty() || node.output_size() == 0;
    return "node " + shown_name(has_name ? node.name() : node.output(0)) + " (" +
           shown_name(node.op_type()) + "): ";
  }

  void check_tensor(const TensorProto& tensor, bool any_numbers) {
    const std::string name = "weights " + shown_name(tensor.name()) + ": ";
    if (tensor.name().empty() || !names_.insert(tensor.name()).second)
      fail(name + "have no name, or the name of other weights");
    if (tensor.data_location() != TensorProto::DEFAULT || tensor.external_data_size() > 0)
      fail(name + "are in other files, which is not supported");
    if (tensor.dims_size() > kMostRank) fail(name + "have impossible extents");
    std::int64_t elements = 1;
    for (const std::int64_t extent : tensor.dims()) {
      if (extent < 0 || extent > kMostElements / std::max<std::int64_t>(elements, 1))
        fail(name + "have impossible extents");
      elements *= extent;
    }
    const bool is_read =
        tensor.data_type() == TensorProto::FLOAT || tensor.data_type() == TensorProto::INT64;
    const bool is_half = tensor.data_type() == TensorProto::FLOAT16;
    if (is_read || is_half) check_data(tensor, elements, name);
    if (!is_read && !any_numbers) fail(name + "have a type of numbers that is not supported");
  }

  /// Checks that the numbers are stored in one field, and that there are as many as the extents
  /// say.
  void check_data(const TensorProto& tensor, std::int64_t elements, const std::string& name) const {
    const Stored stored = stored_in(tensor);
    const auto raw = static_cast<std::int64_t>(tensor.raw_data().size() / stored.size);
    const int all = tensor.float_data_size() + tensor.int32_data_size() + tensor.int64_data_size() +
                    tensor.string_data_size() + tensor.double_data_size() +
                    tensor.uint64_data_size();
    const bool whole = tensor.raw_data().size() % stored.size == 0 && all == stored.listed &&
                       (raw == 0 || stored.listed == 0) && raw + stored.listed == elements;
    if (!whole) fail(name + "their data don't fit their extents");
    if (tensor.has_segment()) fail(name + "parts of tensors are not supported");
    // An f16 that is listed as an integer has its bits in the integer's lower half.
    const auto is_half = [](std::int32_t bits) { return bits >= 0 && bits <= UINT16_MAX; };
    if (tensor.data_type() == TensorProto::FLOAT16 &&
        !std::all_of(tensor.int32_data().begin(), tensor.int32_data().end(), is_half))
      fail(name + "have a number that is no f16");
  }

  /// Says how the numbers of a tensor are stored.
  struct Stored {
    std::size_t size = 0;  ///< bytes of a number in raw_data
    int listed = 0;        ///< how many numbers the list for this type has
  };

  /// @param tensor  of floats, f16 or 64-bit integers
  static Stored stored_in(const TensorProto& tensor) {
    if (tensor.data_type() == TensorProto::FLOAT) return {sizeof(float), tensor.float_data_size()};
    if (tensor.data_type() == TensorProto::FLOAT16)
      return {sizeof(std::uint16_t), tensor.int32_data_size()};
    return {sizeof(std::int64_t), tensor.int64_data_size()};
  }

  void check_node(const onnx::NodeProto& node) const {
    std::set<std::string_view> known;
    for (const AttributeProto& attribute : node.attribute()) {
      const std::string name = named(node) + "attribute " + shown_name(attribute.name());
      if (!known.insert(attribute.name()).second) fail(name + " appears twice");
      if (!is_plain(attribute)) fail(name + " holds a value that doesn't fit its type");
    }
  }

  /// Returns whether an attribute holds only numbers or a text.
  static bool is_plain(const AttributeProto& attribute) {
    const auto holds = [&](AttributeProto::AttributeType type, bool something) {
      return attribute.type() == type || !something;
    };
    return attribute.ref_attr_name().empty() && !attribute.has_t() && !attribute.has_g() &&
           !attribute.has_sparse_tensor() && !attribute.has_tp() && attribute.tensors_size() == 0 &&
           attribute.graphs_size() == 0 && attribute.sparse_tensors_size() == 0 &&
           attribute.type_protos_size() == 0 && attribute.strings_size() == 0 &&
           holds(AttributeProto::INT, attribute.has_i()) &&
           holds(AttributeProto::FLOAT, attribute.has_f()) &&
           holds(AttributeProto::STRING, attribute.has_s()) &&
           holds(AttributeProto::INTS, attribute.ints_size() > 0) &&
           holds(AttributeProto::FLOATS, attribute.floats_size() > 0);
  }

  const onnx::ModelProto& model_;
  const std::string& source_;
  std::set<std::string> names_;  ///< names of weights
};

/// Removes everything that import_onnx() doesn't read.
void strip(onnx::ModelProto& model, const std::set<std::string>& weights) {
  model.DiscardUnknownFields();
  model.clear_training_info();
  model.clear_metadata_props();
  model.clear_doc_string();
  model.set_ir_version(std::max(model.ir_version(), kFirstWithoutWeightsAmongInputs));
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.clear_value_info();
  graph.clear_quantization_annotation();
  graph.clear_doc_string();
  for (onnx::NodeProto& node : *graph.mutable_node()) node.clear_doc_string();
  auto& inputs = *graph.mutable_input();
  const auto is_weights = [&weights](const onnx::ValueInfoProto& input) {
    return weights.contains(input.name());
  };
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(), is_weights), inputs.end());
}

void check_amounts(const Graph& graph, Size trial) {
  const std::int64_t most = kMostOfAPixel * trial.width * trial.height;
  for (const Node& node : graph.nodes)
    for (const ValueId output : node.outputs) {
      const auto& extents = graph.value(output).extents;
      const auto elements = std::accumulate(extents.begin(), extents.end(), std::int64_t{1},
                                            // infer_shapes() limits the product
                                            std::multiplies<>());
      if (elements > most)
        refuse(graph, node,
               "would compute more than " + std::to_string(kMostOfAPixel) +
                   " numbers for each pixel of a picture of " + to_string(trial));
    }
}

}  // namespace

void check_parts(const onnx::ModelProto& model, const std::string& source) {
  Check check(model, source);
  check.check_weights(true);
  check.check_order();
}

Graph check_onnx(onnx::ModelProto& model, const std::string& source, Size trial) {
  Check check(model, source);
  check.check_weights(false);
  check.check_attributes();
  strip(model, check.weights());
  Graph graph = import_onnx(model, source);
  infer_shapes(graph, trial);
  check_amounts(graph, trial);
  return graph;
}

void check_size(const onnx::ModelProto& model, const std::string& source, Size network) {
  Graph graph = import_onnx(model, source);
  infer_shapes(graph, network);
  check_amounts(graph, network);
}

}  // namespace facepipe::detector::graph
