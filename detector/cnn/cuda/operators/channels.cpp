#include "detector/cnn/cuda/operators/channels.h"

#include <utility>
#include <variant>

#include "detector/cnn/cuda/operators/operator.h"

namespace facepipe::detector::engine {
namespace {

/// Copies the channels of each input that isn't already in the output's memory. Each input takes
/// one launch.
class ChannelCopies : public Operator {
 public:
  ChannelCopies(const NodeContext& context, int groups)
      : inputs_(context.inputs), output_(context.outputs[0]), groups_(groups) {}

  void enqueue(const Memory& memory, cuda::StreamView stream) const override {
    int channel = 0;
    for (const Placement& input : inputs_) {
      const int first = channel;
      channel += input.shape.channels;
      if (input.offset == output_.offset && input.first_channel == first) continue;
      ChannelCopyArguments arguments{};
      arguments.from = value_pointer<__half>(memory, input);
      arguments.to = value_pointer<__half>(memory, output_) + first;
      arguments.from_pitch = input.pitch;
      arguments.to_pitch = output_.pitch;
      arguments.channels = input.shape.channels;
      arguments.groups = groups_;
      arguments.pixels = output_.pixels();
      // Kernels read whole chunks, so the padding behind the last channel must not contain NaN.
      if (channel == output_.shape.channels) arguments.zeros = output_.pitch - channel;
      launch_channel_copy(arguments, stream.get());
    }
  }

 private:
  std::vector<Placement> inputs_;
  Placement output_;
  int groups_;
};

/// Checks the inputs. They may begin at any channel, but must be halves without a pending
/// activation.
void check(const NodeContext& context) {
  NodeContext moved = context;
  for (Placement& input : moved.inputs) input.first_channel = 0;
  expect_parts(moved, false);
}

}  // namespace

std::unique_ptr<Operator> make_channels(const NodeContext& context, WeightPacker&) {
  const auto* const shuffle = std::get_if<graph::Shuffle>(&context.node.op);
  if (shuffle == nullptr && !std::holds_alternative<graph::Concat>(context.node.op)) return nullptr;
  check(context);
  return std::make_unique<ChannelCopies>(context, shuffle == nullptr ? 1 : shuffle->groups);
}

}  // namespace facepipe::detector::engine
