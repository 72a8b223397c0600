#include "detector/cnn/model/graph/onnx_node.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/error.h"
#include "core/terminal_text.h"

namespace facepipe::detector::graph {
namespace {

// 1 GiB of floats, the size of the largest file
constexpr std::int64_t kMostElements = std::int64_t{1} << 28;
constexpr std::int64_t kLargestWindow = 64;

/// Returns the list in which a tensor holds numbers of the type T, if they aren't raw bytes.
template <class T>
const auto& listed_in(const onnx::TensorProto& tensor) {
  if constexpr (std::is_same_v<T, float>)
    return tensor.float_data();
  else
    return tensor.int64_data();
}

}  // namespace

template <class T>
std::vector<T> values_of(const onnx::TensorProto& tensor, std::int64_t count) {
  const auto& listed = listed_in<T>(tensor);
  std::vector<T> values;
  const auto size = static_cast<std::size_t>(count);
  if (tensor.raw_data().size() == size * sizeof(T)) {
    values.resize(size);
    if (size != 0) std::memcpy(values.data(), tensor.raw_data().data(), size * sizeof(T));
  } else if (tensor.raw_data().empty() && static_cast<std::size_t>(listed.size()) == size) {
    values.assign(listed.begin(), listed.end());
  }
  return values;
}

template std::vector<float> values_of<float>(const onnx::TensorProto&, std::int64_t);
template std::vector<std::int64_t> values_of<std::int64_t>(const onnx::TensorProto&, std::int64_t);

void OnnxNode::fail(const std::string& reason) const {
  throw Error(ErrorKind::device, "model " + source_ + ": node " + shown_name(name()) + " (" +
                                     shown_name(node_.op_type()) + "): " + reason);
}

std::string OnnxNode::name() const {
  if (!node_.name().empty() || node_.output_size() == 0) return node_.name();
  return node_.output(0);
}

void OnnxNode::expect(int fewest_inputs, int most_inputs, std::span<const std::string_view> known,
                      int outputs) const {
  if (node_.input_size() < fewest_inputs || node_.input_size() > most_inputs ||
      node_.output_size() != outputs)
    fail("has " + std::to_string(node_.input_size()) + " inputs and " +
         std::to_string(node_.output_size()) + " outputs");
  for (const onnx::AttributeProto& attribute : node_.attribute())
    if (std::find(known.begin(), known.end(), attribute.name()) == known.end())
      fail("attribute " + shown_name(attribute.name()) + " is not supported");
}

const onnx::AttributeProto* OnnxNode::find(std::string_view attribute,
                                           onnx::AttributeProto::AttributeType type) const {
  for (const onnx::AttributeProto& candidate : node_.attribute()) {
    if (candidate.name() != attribute) continue;
    if (candidate.type() != type) fail("attribute " + std::string(attribute) + " has another type");
    return &candidate;
  }
  return nullptr;
}

std::int64_t OnnxNode::integer(std::string_view attribute, std::int64_t otherwise) const {
  const auto* const found = find(attribute, onnx::AttributeProto::INT);
  return found != nullptr ? found->i() : otherwise;
}

float OnnxNode::number(std::string_view attribute, float otherwise) const {
  const auto* const found = find(attribute, onnx::AttributeProto::FLOAT);
  return found != nullptr ? found->f() : otherwise;
}

std::string OnnxNode::text(std::string_view attribute, const std::string& otherwise) const {
  const auto* const found = find(attribute, onnx::AttributeProto::STRING);
  return found != nullptr ? found->s() : otherwise;
}

std::vector<std::int64_t> OnnxNode::integers(std::string_view attribute,
                                             std::vector<std::int64_t> otherwise) const {
  const auto* const found = find(attribute, onnx::AttributeProto::INTS);
  if (found == nullptr) return otherwise;
  return {found->ints().begin(), found->ints().end()};
}

void OnnxNode::expect_integer(std::string_view attribute, std::int64_t value) const {
  if (integer(attribute, value) != value)
    fail("attribute " + std::string(attribute) + " other than " + std::to_string(value) +
         " is not supported");
}

void OnnxNode::expect_text(std::string_view attribute, const std::string& value) const {
  if (text(attribute, value) != value)
    fail("attribute " + std::string(attribute) + " other than " + value + " is not supported");
}

void OnnxNode::expect_integers(std::string_view attribute, std::int64_t value) const {
  for (const std::int64_t number : integers(attribute, {}))
    if (number != value)
      fail("attribute " + std::string(attribute) + " other than " + std::to_string(value) +
           " is not supported");
}

const onnx::TensorProto& OnnxNode::constant(int input) const {
  const auto found = has_input(input) ? constants_.find(node_.input(input)) : constants_.end();
  if (found == constants_.end())
    fail("input " + std::to_string(input) + " is not a constant in the file");
  return *found->second;
}

const onnx::TensorProto& OnnxNode::constant(int input, int type) const {
  const onnx::TensorProto& tensor = constant(input);
  if (tensor.data_type() != type)
    fail("input " + std::to_string(input) + " has a type of numbers that is not supported");
  return tensor;
}

std::vector<std::int64_t> OnnxNode::extents(int input) const {
  const auto& extents = constant(input).dims();
  std::int64_t elements = 1;
  for (const std::int64_t extent : extents) {
    if (extent < 1 || extent > kMostElements / elements)
      fail("input " + std::to_string(input) + " has impossible extents");
    elements *= extent;
  }
  return {extents.begin(), extents.end()};
}

std::vector<float> OnnxNode::floats(int input) const {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents(input)) count *= extent;
  return floats(input, count);
}

std::vector<float> OnnxNode::floats(int input, std::int64_t count) const {
  std::int64_t promised = 1;
  for (const std::int64_t extent : extents(input)) promised *= extent;
  const onnx::TensorProto& tensor = constant(input, onnx::TensorProto::FLOAT);
  std::vector<float> values = values_of<float>(tensor, promised);
  if (promised != count || static_cast<std::int64_t>(values.size()) != count)
    fail("input " + std::to_string(input) + " should hold " + std::to_string(count) + " floats");
  return values;
}

std::vector<std::int64_t> OnnxNode::integers(int input) const {
  const std::vector<std::int64_t> shape = extents(input);
  const onnx::TensorProto& tensor = constant(input, onnx::TensorProto::INT64);
  if (shape.size() != 1) fail("input " + std::to_string(input) + " should be a list");
  auto values = values_of<std::int64_t>(tensor, shape[0]);
  if (static_cast<std::int64_t>(values.size()) != shape[0])
    fail("input " + std::to_string(input) + " has fewer numbers than its shape says");
  return values;
}

Window OnnxNode::window(std::optional<std::vector<std::int64_t>> kernel) const {
  expect_text("auto_pad", "NOTSET");
  expect_integers("dilations", 1);
  const std::vector<std::int64_t> shape =
      integers("kernel_shape", kernel.value_or(std::vector<std::int64_t>{}));
  const std::vector<std::int64_t> strides = integers("strides", {1, 1});
  const std::vector<std::int64_t> pads = integers("pads", {0, 0, 0, 0});
  if (shape.size() != 2 || strides.size() != 2 || pads.size() != 4)
    fail("only windows of two dimensions are supported");
  if (kernel && shape != *kernel) fail("kernel_shape is not the shape of the weights");
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const bool sane = shape[axis] >= 1 && shape[axis] <= kLargestWindow && strides[axis] >= 1 &&
                      strides[axis] <= kLargestWindow && pads[axis] >= 0 && pads[axis + 2] >= 0 &&
                      pads[axis] < shape[axis] && pads[axis + 2] < shape[axis];
    if (!sane) fail("its window is not supported");
  }
  const auto at = [](const std::vector<std::int64_t>& values, std::size_t i) {
    return static_cast<int>(values[i]);
  };
  return {at(shape, 0), at(shape, 1), at(strides, 0), at(strides, 1),
          at(pads, 0),  at(pads, 1),  at(pads, 2),    at(pads, 3)};
}

}  // namespace facepipe::detector::graph
