#include "tests/support/onnx_builder.h"

#include <algorithm>

namespace facepipe::test {
namespace {

void add_attribute(onnx::NodeProto& node, const OnnxAttribute& from) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(from.first);
  if (const auto* const number = std::get_if<std::int64_t>(&from.second)) {
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(*number);
  } else if (const auto* const numbers = std::get_if<std::vector<std::int64_t>>(&from.second)) {
    attribute.set_type(onnx::AttributeProto::INTS);
    attribute.mutable_ints()->Assign(numbers->begin(), numbers->end());
  } else if (const auto* const real = std::get_if<float>(&from.second)) {
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(*real);
  } else {
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(std::get<std::string>(from.second));
  }
}

}  // namespace

OnnxBuilder::OnnxBuilder(std::int64_t height, std::int64_t width, std::int64_t opset) {
  model_.set_ir_version(7);
  model_.add_opset_import()->set_version(opset);
  onnx::ValueInfoProto& input = *model_.mutable_graph()->add_input();
  input.set_name(picture());
  auto& tensor = *input.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : {std::int64_t{1}, std::int64_t{3}, height, width}) {
    auto& dim = *tensor.mutable_shape()->add_dim();
    if (extent > 0) dim.set_dim_value(extent);
  }
}

std::string OnnxBuilder::node(const std::string& type, const std::vector<std::string>& inputs,
                              const std::vector<OnnxAttribute>& attributes) {
  return node_with_outputs(type, 1, inputs, attributes).front();
}

std::vector<std::string> OnnxBuilder::node_with_outputs(
    const std::string& type, int outputs, const std::vector<std::string>& inputs,
    const std::vector<OnnxAttribute>& attributes) {
  onnx::NodeProto& node = *model_.mutable_graph()->add_node();
  node.set_op_type(type);
  for (const std::string& input : inputs) node.add_input(input);
  for (const OnnxAttribute& attribute : attributes) add_attribute(node, attribute);
  std::vector<std::string> names;
  for (int i = 0; i < outputs; ++i) {
    names.push_back(new_name(type));
    node.add_output(names.back());
  }
  return names;
}

std::string OnnxBuilder::convolution(const std::string& from, int inputs, int outputs, int kernel,
                                     int stride) {
  const std::int64_t pad = kernel / 2;
  const std::string weights = random_floats({outputs, inputs, kernel, kernel});
  return node("Conv", {from, weights, random_floats({outputs})},
              {{"kernel_shape", std::vector<std::int64_t>{kernel, kernel}},
               {"strides", std::vector<std::int64_t>{stride, stride}},
               {"pads", std::vector<std::int64_t>{pad, pad, pad, pad}}});
}

std::string OnnxBuilder::floats(const std::vector<std::int64_t>& dims,
                                const std::vector<float>& values) {
  onnx::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
  tensor.set_name(new_name("weights"));
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  tensor.mutable_dims()->Assign(dims.begin(), dims.end());
  tensor.mutable_float_data()->Assign(values.begin(), values.end());
  return tensor.name();
}

std::string OnnxBuilder::random_floats(const std::vector<std::int64_t>& dims) {
  std::size_t count = 1;
  for (const std::int64_t dim : dims) count *= static_cast<std::size_t>(dim);
  std::uniform_real_distribution<float> spread(-1, 1);
  std::vector<float> values(count);
  for (float& value : values) value = spread(random_);
  return floats(dims, values);
}

std::string OnnxBuilder::integers(const std::vector<std::int64_t>& values) {
  const std::string name = integer(0);
  onnx::TensorProto& tensor =
      *model_.mutable_graph()->mutable_initializer(model_.graph().initializer_size() - 1);
  tensor.add_dims(static_cast<std::int64_t>(values.size()));
  tensor.mutable_int64_data()->Assign(values.begin(), values.end());
  return name;
}

std::string OnnxBuilder::integer(std::int64_t value) {
  onnx::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
  tensor.set_name(new_name("weights"));
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_int64_data(value);
  return tensor.name();
}

std::string OnnxBuilder::constant(const std::vector<std::int64_t>& values) {
  const std::string name = node("Constant", {});
  onnx::AttributeProto& attribute =
      *model_.mutable_graph()->mutable_node(model_.graph().node_size() - 1)->add_attribute();
  attribute.set_name("value");
  attribute.set_type(onnx::AttributeProto::TENSOR);
  onnx::TensorProto& tensor = *attribute.mutable_t();
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_dims(static_cast<std::int64_t>(values.size()));
  tensor.set_raw_data(values.data(), values.size() * sizeof(std::int64_t));
  return name;
}

void OnnxBuilder::output(const std::string& value, const std::vector<std::int64_t>& extents) {
  onnx::ValueInfoProto& output = *model_.mutable_graph()->add_output();
  output.set_name(value);
  auto& tensor = *output.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : extents) {
    auto& dim = *tensor.mutable_shape()->add_dim();
    if (extent >= 0) dim.set_dim_value(extent);
  }
}

int count_of(const onnx::ModelProto& model, const std::string& type) {
  const auto& nodes = model.graph().node();
  return static_cast<int>(std::count_if(nodes.begin(), nodes.end(),
                                        [&](const auto& node) { return node.op_type() == type; }));
}

}  // namespace facepipe::test
