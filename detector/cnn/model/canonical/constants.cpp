#include "detector/cnn/model/canonical/passes.h"

namespace facepipe::detector {
namespace {

using onnx::AttributeProto;
using onnx::TensorProto;

/// Moves the node's value to `tensor`. Returns false for kinds of values that networks don't need.
bool take_value(AttributeProto& attribute, TensorProto& tensor) {
  const std::string& name = attribute.name();
  if (name == "value" && attribute.has_t()) {
    tensor.Swap(attribute.mutable_t());
  } else if (name == "value_int" && attribute.has_i()) {
    tensor.set_data_type(TensorProto::INT64);
    tensor.add_int64_data(attribute.i());
  } else if (name == "value_ints") {
    tensor.set_data_type(TensorProto::INT64);
    tensor.add_dims(attribute.ints_size());
    tensor.mutable_int64_data()->Swap(attribute.mutable_ints());
  } else if (name == "value_float" && attribute.has_f()) {
    tensor.set_data_type(TensorProto::FLOAT);
    tensor.add_float_data(attribute.f());
  } else if (name == "value_floats") {
    tensor.set_data_type(TensorProto::FLOAT);
    tensor.add_dims(attribute.floats_size());
    tensor.mutable_float_data()->Swap(attribute.mutable_floats());
  } else {
    return false;
  }
  return true;
}

}  // namespace

void make_constants_weights(Rewriting& to) {
  onnx::GraphProto& graph = to.graph();
  std::vector<bool> kept(static_cast<std::size_t>(graph.node_size()), true);
  for (int n = 0; n < graph.node_size(); ++n) {
    onnx::NodeProto& node = *graph.mutable_node(n);
    const bool plain = node.op_type() == "Constant" && node.input_size() == 0 &&
                       node.output_size() == 1 && node.attribute_size() == 1;
    TensorProto value;
    if (!plain || !take_value(*node.mutable_attribute(0), value)) continue;
    value.set_name(node.output(0));
    graph.add_initializer()->Swap(&value);
    kept[static_cast<std::size_t>(n)] = false;
  }
  keep_nodes(graph, kept);
}

}  // namespace facepipe::detector
