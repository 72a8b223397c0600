#include "tests/support/half_weights.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace facepipe::test {
namespace {

using onnx::TensorProto;

constexpr std::uint32_t kSign = 1U << 31U;

/// Returns the exponent that a number has as f16: 1 to 30, unless the number is too small or too
/// large.
int exponent_of(std::uint32_t bits) { return static_cast<int>((bits >> 23U) & 255U) - 112; }

/// Cuts a number off, so that f16 can hold it. Numbers that are too small become zero.
float cut(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  constexpr std::uint32_t kLost = (1U << 13U) - 1;
  return std::bit_cast<float>(exponent_of(bits) < 1 ? bits & kSign : bits & ~kLost);
}

std::uint16_t half_of(float cut_number) {
  const auto bits = std::bit_cast<std::uint32_t>(cut_number);
  const std::uint32_t sign = bits >> 16U & 0x8000U;
  if ((bits & ~kSign) == 0) return static_cast<std::uint16_t>(sign);
  return static_cast<std::uint16_t>(sign | static_cast<unsigned>(exponent_of(bits)) << 10U |
                                    (bits >> 13U & 1023U));
}

std::vector<float> cut_numbers(const TensorProto& tensor) {
  std::vector<float> numbers(tensor.raw_data().size() / sizeof(float));
  std::memcpy(numbers.data(), tensor.raw_data().data(), tensor.raw_data().size());
  numbers.insert(numbers.end(), tensor.float_data().begin(), tensor.float_data().end());
  for (float& number : numbers) number = cut(number);
  return numbers;
}

}  // namespace

onnx::ModelProto cut_to_half(onnx::ModelProto model) {
  for (TensorProto& tensor : *model.mutable_graph()->mutable_initializer()) {
    if (tensor.data_type() != TensorProto::FLOAT) continue;
    const std::vector<float> numbers = cut_numbers(tensor);
    tensor.clear_float_data();
    tensor.set_raw_data(numbers.data(), numbers.size() * sizeof(float));
  }
  return model;
}

onnx::ModelProto with_half_weights(onnx::ModelProto model) {
  onnx::GraphProto& graph = *model.mutable_graph();
  const onnx::GraphProto before = graph;
  graph.clear_node();
  for (TensorProto& tensor : *graph.mutable_initializer()) {
    if (tensor.data_type() != TensorProto::FLOAT) continue;
    std::vector<std::uint16_t> halves;
    for (const float number : cut_numbers(tensor)) halves.push_back(half_of(number));
    tensor.clear_float_data();
    tensor.set_raw_data(halves.data(), halves.size() * sizeof(std::uint16_t));
    tensor.set_data_type(TensorProto::FLOAT16);
    onnx::NodeProto& cast = *graph.add_node();
    cast.set_op_type("Cast");
    cast.add_output(tensor.name());
    tensor.set_name(tensor.name() + "_f16");
    cast.add_input(tensor.name());
    onnx::AttributeProto& to = *cast.add_attribute();
    to.set_name("to");
    to.set_type(onnx::AttributeProto::INT);
    to.set_i(TensorProto::FLOAT);
  }
  graph.mutable_node()->MergeFrom(before.node());
  auto& inputs = *graph.mutable_input();
  for (int i = inputs.size() - 1; i >= 0; --i)
    for (const TensorProto& tensor : before.initializer())
      if (tensor.name() == before.input(i).name()) {
        inputs.DeleteSubrange(i, 1);
        break;
      }
  return model;
}

}  // namespace facepipe::test
