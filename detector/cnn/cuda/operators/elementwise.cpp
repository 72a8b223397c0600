#include "detector/cnn/cuda/operators/elementwise.h"

#include <utility>
#include <variant>

#include "detector/cnn/cuda/operators/operator.h"

namespace facepipe::detector::engine {
namespace {

constexpr int kChunk = 8;

const __half* optional_input(const Memory& memory, const std::vector<Placement>& inputs,
                             std::size_t index) {
  return index < inputs.size() ? value_pointer<__half>(memory, inputs[index]) : nullptr;
}

/// Implements an operator by one launch: calls `Launch` with the memory and the stream.
template <class Launch>
class LaunchOperator : public Operator {
 public:
  explicit LaunchOperator(Launch launch) : launch_(std::move(launch)) {}
  void enqueue(const Memory& memory, cuda::StreamView stream) const override {
    launch_(memory, stream.get());
  }

 private:
  Launch launch_;
};

template <class Launch>
std::unique_ptr<Operator> made_of(Launch launch) {
  return std::make_unique<LaunchOperator<Launch>>(std::move(launch));
}

}  // namespace

std::unique_ptr<Operator> make_pooling(const NodeContext& context, WeightPacker&) {
  const auto* const op = std::get_if<graph::MaxPool>(&context.node.op);
  if (op == nullptr) return nullptr;
  expect_plain(context, false);
  return made_of([input = context.inputs[0], output = context.outputs[0], window = op->window](
                     const Memory& memory, cudaStream_t stream) {
    launch_max_pool({value_pointer<__half>(memory, input), value_pointer<__half>(memory, output),
                     output.pitch / kChunk, input.shape.height, input.shape.width,
                     output.shape.height, output.shape.width, window},
                    stream);
  });
}

std::unique_ptr<Operator> make_upsample(const NodeContext& context, WeightPacker&) {
  const auto* const op = std::get_if<graph::Upsample>(&context.node.op);
  if (op == nullptr) return nullptr;
  expect_plain(context, false);
  return made_of([inputs = context.inputs, output = context.outputs[0], factor = op->factor](
                     const Memory& memory, cudaStream_t stream) {
    launch_upsample({value_pointer<__half>(memory, inputs[0]), optional_input(memory, inputs, 1),
                     value_pointer<__half>(memory, output), output.pitch / kChunk, factor,
                     output.shape.height, output.shape.width},
                    stream);
  });
}

std::unique_ptr<Operator> make_elementwise(const NodeContext& context, WeightPacker&) {
  const graph::Operator& op = context.node.op;
  const auto* const activate = std::get_if<graph::Activate>(&op);
  const auto* const leaky = std::get_if<graph::LeakyRelu>(&op);
  const bool multiplies = std::holds_alternative<graph::Multiply>(op);
  if (activate == nullptr && leaky == nullptr && !multiplies &&
      !std::holds_alternative<graph::Add>(op))
    return nullptr;
  expect_parts(context, false);
  ElementwiseArguments arguments{};
  // Only convolutions write parts of a larger value, so `output` is a whole value.
  const Placement& output = context.outputs[0];
  arguments.chunks = output.pitch / kChunk;
  arguments.pixels = output.pixels();
  if (activate != nullptr) arguments.activation = activate->function;
  arguments.leaky = leaky != nullptr;
  if (leaky != nullptr) arguments.slope = leaky->slope;
  arguments.multiplies = multiplies;
  return made_of(
      [inputs = context.inputs, output, arguments](const Memory& memory, cudaStream_t stream) {
        const auto input = [&](std::size_t index) {
          const __half* const values = optional_input(memory, inputs, index);
          return ElementwiseInput{values, values == nullptr ? 0 : inputs[index].pitch / kChunk};
        };
        ElementwiseArguments run = arguments;
        run.input = input(0);
        run.other = input(1);
        run.output = value_pointer<__half>(memory, output);
        launch_elementwise(run, stream);
      });
}

}  // namespace facepipe::detector::engine
