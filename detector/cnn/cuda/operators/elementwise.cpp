#include "detector/cnn/cuda/operators/elementwise.h"

#include <variant>

#include "detector/cnn/cuda/operators/operator.h"

namespace facepipe::engine {
namespace {

constexpr int kChunk = 8;

const __half* optional_input(const Memory& memory, const std::vector<Placement>& inputs,
                             std::size_t index) {
  return index < inputs.size() ? value_pointer<__half>(memory, inputs[index]) : nullptr;
}

class MaxPoolOperator : public Operator {
 public:
  MaxPoolOperator(const NodeContext& context, const graph::MaxPool& op)
      : input_(context.inputs[0]), output_(context.outputs[0]), window_(op.window) {}

  void enqueue(const Memory& memory, cuda::StreamView stream) const override {
    launch_max_pool({value_pointer<__half>(memory, input_), value_pointer<__half>(memory, output_),
                     output_.pitch / kChunk, input_.shape.height, input_.shape.width,
                     output_.shape.height, output_.shape.width, window_},
                    stream.get());
  }

 private:
  Placement input_;
  Placement output_;
  graph::Window window_;
};

class UpsampleOperator : public Operator {
 public:
  UpsampleOperator(const NodeContext& context, const graph::Upsample& op)
      : inputs_(context.inputs), output_(context.outputs[0]), factor_(op.factor) {}

  void enqueue(const Memory& memory, cuda::StreamView stream) const override {
    launch_upsample({value_pointer<__half>(memory, inputs_[0]), optional_input(memory, inputs_, 1),
                     value_pointer<__half>(memory, output_), output_.pitch / kChunk, factor_,
                     output_.shape.height, output_.shape.width},
                    stream.get());
  }

 private:
  std::vector<Placement> inputs_;
  Placement output_;
  int factor_;
};

class ElementwiseOperator : public Operator {
 public:
  ElementwiseOperator(const NodeContext& context, graph::Activation activation)
      : inputs_(context.inputs), output_(context.outputs[0]), activation_(activation) {}

  void enqueue(const Memory& memory, cuda::StreamView stream) const override {
    const std::size_t chunks = output_.pixels() * static_cast<std::size_t>(output_.pitch / kChunk);
    launch_elementwise(
        {value_pointer<__half>(memory, inputs_[0]), optional_input(memory, inputs_, 1),
         value_pointer<__half>(memory, output_), chunks, activation_},
        stream.get());
  }

 private:
  std::vector<Placement> inputs_;
  Placement output_;
  graph::Activation activation_;
};

}  // namespace

std::unique_ptr<Operator> make_pooling(const NodeContext& context, WeightPacker&) {
  const auto* const op = std::get_if<graph::MaxPool>(&context.node.op);
  if (op == nullptr) return nullptr;
  expect_plain(context, false);
  return std::make_unique<MaxPoolOperator>(context, *op);
}

std::unique_ptr<Operator> make_upsample(const NodeContext& context, WeightPacker&) {
  const auto* const op = std::get_if<graph::Upsample>(&context.node.op);
  if (op == nullptr) return nullptr;
  expect_plain(context, false);
  return std::make_unique<UpsampleOperator>(context, *op);
}

std::unique_ptr<Operator> make_elementwise(const NodeContext& context, WeightPacker&) {
  const auto* const activate = std::get_if<graph::Activate>(&context.node.op);
  if (activate == nullptr && !std::holds_alternative<graph::Add>(context.node.op)) return nullptr;
  expect_plain(context, false);
  return std::make_unique<ElementwiseOperator>(
      context, activate != nullptr ? activate->function : graph::Activation::none);
}

}  // namespace facepipe::engine
