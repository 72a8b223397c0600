#include "detector/cnn/model/canonical/rewriting.h"

#include <algorithm>
#include <utility>

#include "detector/model_file.h"

namespace facepipe::detector {
namespace {

// Largest number of values that passes may add: 128 MiB of floats. This is more than the weights of
// any network for faces.
constexpr std::size_t kMostAdded = std::size_t{1} << 25;

/// Replaces the attribute `name` by an empty attribute, and returns the empty attribute.
onnx::AttributeProto& emptied_attribute(onnx::NodeProto& node, const std::string& name,
                                        onnx::AttributeProto::AttributeType type) {
  erase_attribute(node, name);
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

}  // namespace

Rewriting::Rewriting(onnx::ModelProto& model, std::string source)
    : graph_(*model.mutable_graph()), source_(std::move(source)) {
  for (const onnx::OperatorSetIdProto& set : model.opset_import())
    if (set.domain().empty() || set.domain() == "ai.onnx") opset_ = set.version();
  for (const onnx::TensorProto& tensor : graph_.initializer()) names_.insert(tensor.name());
  for (const onnx::ValueInfoProto& input : graph_.input()) names_.insert(input.name());
  for (const onnx::NodeProto& node : graph_.node())
    names_.insert(node.output().begin(), node.output().end());
}

void Rewriting::fail(const std::string& reason) const { refuse_model(source_, reason); }

onnx::TensorProto& Rewriting::add_tensor(const std::string& stem, int type, std::size_t count) {
  if (count > kMostAdded - added_) fail("more weights would be added to it than are supported");
  added_ += count;
  std::string name = stem;
  for (int number = 2; !names_.insert(name).second; ++number)
    name = stem + "." + std::to_string(number);
  onnx::TensorProto& tensor = *graph_.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  return tensor;
}

std::string Rewriting::add_weights(const std::string& stem, const std::vector<std::int64_t>& dims,
                                   const std::vector<float>& values) {
  onnx::TensorProto& tensor = add_tensor(stem, onnx::TensorProto::FLOAT, values.size());
  tensor.mutable_dims()->Assign(dims.begin(), dims.end());
  tensor.set_raw_data(values.data(), values.size() * sizeof(float));
  return tensor.name();
}

std::string Rewriting::add_weights(const std::string& stem,
                                   const std::vector<std::int64_t>& values) {
  return add_weights(stem, {static_cast<std::int64_t>(values.size())}, values);
}

std::string Rewriting::add_weights(const std::string& stem, const std::vector<std::int64_t>& dims,
                                   const std::vector<std::int64_t>& values) {
  onnx::TensorProto& tensor = add_tensor(stem, onnx::TensorProto::INT64, values.size());
  tensor.mutable_dims()->Assign(dims.begin(), dims.end());
  tensor.set_raw_data(values.data(), values.size() * sizeof(std::int64_t));
  return tensor.name();
}

OnnxIndex::OnnxIndex(const onnx::GraphProto& graph) {
  for (const onnx::TensorProto& tensor : graph.initializer()) add(tensor);
  for (int n = 0; n < graph.node_size(); ++n) {
    for (const std::string& input : graph.node(n).input()) ++reads_[input];
    for (const std::string& output : graph.node(n).output()) producers_[output] = n;
  }
  for (const onnx::ValueInfoProto& output : graph.output()) {
    ++reads_[output.name()];
    outputs_.insert(output.name());
  }
}

void OnnxIndex::add(const onnx::TensorProto& weights) { weights_[weights.name()] = &weights; }

const onnx::TensorProto* OnnxIndex::weights(const std::string& name) const {
  const auto found = weights_.find(name);
  return found == weights_.end() ? nullptr : found->second;
}

int OnnxIndex::producer(const std::string& name) const {
  const auto found = producers_.find(name);
  return found == producers_.end() ? -1 : found->second;
}

int OnnxIndex::reads_of(const std::string& name) const {
  const auto found = reads_.find(name);
  return found == reads_.end() ? 0 : found->second;
}

void rename(std::string& name, const NewNames& names) {
  const auto found = names.find(name);
  if (found != names.end()) name = found->second;
}

void keep_nodes(onnx::GraphProto& graph, const std::vector<bool>& kept) {
  auto& nodes = *graph.mutable_node();
  int count = 0;
  for (int n = 0; n < nodes.size(); ++n)
    if (kept[static_cast<std::size_t>(n)]) nodes.SwapElements(n, count++);
  nodes.DeleteSubrange(count, nodes.size() - count);
}

void set_integer(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
  emptied_attribute(node, name, onnx::AttributeProto::INT).set_i(value);
}

void set_integers(onnx::NodeProto& node, const std::string& name,
                  const std::vector<std::int64_t>& values) {
  emptied_attribute(node, name, onnx::AttributeProto::INTS)
      .mutable_ints()
      ->Assign(values.begin(), values.end());
}

void set_text(onnx::NodeProto& node, const std::string& name, const std::string& value) {
  emptied_attribute(node, name, onnx::AttributeProto::STRING).set_s(value);
}

void erase_attribute(onnx::NodeProto& node, const std::string& name) {
  auto& attributes = *node.mutable_attribute();
  attributes.erase(std::remove_if(attributes.begin(), attributes.end(),
                                  [&](const auto& other) { return other.name() == name; }),
                   attributes.end());
}

}  // namespace facepipe::detector
