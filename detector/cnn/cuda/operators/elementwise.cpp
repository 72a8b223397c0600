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

/// An operator that consists of one launch. `Launch` is called with the memory and the stream.
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
  const auto* const activate = std::get_if<graph::Activate>(&context.node.op);
  if (activate == nullptr && !std::holds_alternative<graph::Add>(context.node.op)) return nullptr;
  expect_plain(context, false);
  const graph::Activation activation =
      activate != nullptr ? activate->function : graph::Activation::none;
  return made_of([inputs = context.inputs, output = context.outputs[0], activation](
                     const Memory& memory, cudaStream_t stream) {
    const std::size_t chunks = output.pixels() * static_cast<std::size_t>(output.pitch / kChunk);
    launch_elementwise({value_pointer<__half>(memory, inputs[0]), optional_input(memory, inputs, 1),
                        value_pointer<__half>(memory, output), chunks, activation},
                       stream);
  });
}

}  // namespace facepipe::detector::engine
