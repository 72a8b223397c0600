#include "detector/cnn/cuda/operators/stem/stem.h"

#include <variant>

#include "detector/cnn/cuda/operators/lane_weights.h"
#include "detector/cnn/cuda/operators/operator.h"

namespace facepipe::detector::engine {
namespace {

constexpr int kPairColumns = 16;
// number of values: three pixels of three colours, and one value whose weight is zero
constexpr int kWindowRow = 10;

int divide_up(int value, int by) { return (value + by - 1) / by; }

/// Returns the weight of the first layer for index k of the sum. `swapped` is true if the model's
/// channels are blue, green and red.
float window_weight(const graph::Convolution& op, bool swapped, int k, int output) {
  const int ky = k / kWindowRow;
  const int column = k % kWindowRow;
  if (ky >= 3 || column >= 9 || output >= op.outputs) return 0;
  const int channel = swapped ? 2 - column % 3 : column % 3;
  return op.weights[static_cast<std::size_t>(((output * 3 + channel) * 3 + ky) * 3 + column / 3)];
}

float pointwise_weight(const graph::Convolution& op, int input, int output) {
  if (input >= op.inputs || output >= op.outputs) return 0;
  return op.weights[static_cast<std::size_t>(output * op.inputs + input)];
}

std::vector<float> padded_bias(const graph::Convolution& op) {
  std::vector<float> bias = op.bias;
  bias.resize(static_cast<std::size_t>(divide_up(op.outputs, kPairColumns) * kPairColumns));
  return bias;
}

/// Returns an element of a record (see stem_record_words()). Row 0 is the first layer's bias, rows
/// 1 to 9 are the taps, and row 10 is the depthwise layer's bias.
float record_value(const graph::Convolution& first, const graph::Convolution& depthwise, int row,
                   int channel) {
  if (channel >= depthwise.outputs) return 0;
  const auto c = static_cast<std::size_t>(channel);
  if (row == 0) return first.bias[c];
  if (row == 10) return depthwise.bias[c];
  return depthwise.weights[c * 9 + static_cast<std::size_t>(row) - 1];
}

/// Returns the records that stem_record_words() describes.
std::vector<__half> depthwise_records(const graph::Convolution& first,
                                      const graph::Convolution& depthwise, int tiles) {
  std::vector<__half> records;
  for (int t = 0; t < 4; ++t)
    for (int row = 0; row < 11; ++row)
      for (int j = 0; j < tiles; ++j)
        for (const int channel : {8 * j + 2 * t, 8 * j + 2 * t + 1})
          records.push_back(__float2half_rn(record_value(first, depthwise, row, channel)));
  return records;
}

class StemOperator : public Operator {
 public:
  StemOperator(const NodeContext& context, const graph::Stem& op, WeightPacker& packer)
      : input_(context.inputs[0]),
        output_(context.outputs[0]),
        reads_picture_(context.picture != nullptr) {
    if (reads_picture_) arguments_.picture = picture_of(*context.picture);
    arguments_.image_pitch = input_.pitch;
    arguments_.image_left = input_.image ? 1 : 0;
    arguments_.input_height = input_.shape.height;
    arguments_.input_width = input_.shape.width;
    arguments_.output_height = output_.shape.height;
    arguments_.output_width = output_.shape.width;
    arguments_.output_pitch = output_.pitch;
    arguments_.relu = op.layers.back().activation == graph::Activation::relu;
    const bool swapped = reads_picture_ && context.picture->order == ChannelOrder::bgr;
    pack_first(op, swapped, packer);
    if (op.layers.size() > 1) pack_block(op, packer);
  }

  void enqueue(const Memory& memory, cuda::StreamView stream) const override {
    StemArguments arguments = arguments_;
    if (reads_picture_)
      arguments.frame = memory.frame;
    else
      arguments.image = value_pointer<__half>(memory, input_);
    arguments.weights = weight_pointer<Fragments>(memory, weights_);
    arguments.bias = weight_pointer<float>(memory, bias_);
    if (tiles_ > 0) {
      arguments.depthwise = weight_pointer<std::uint32_t>(memory, records_);
      arguments.pointwise = weight_pointer<Fragments>(memory, pointwise_);
    }
    arguments.output = value_pointer<__half>(memory, output_);
    launch_stem(tiles_, arguments, stream.get());
  }

 private:
  void pack_first(const graph::Stem& op, bool swapped, WeightPacker& packer) {
    constexpr int kSteps = 2;
    const graph::Convolution& first = op.layers.front();
    const bool alone = op.layers.size() == 1;
    const std::vector<__half> weights =
        pack_fragments(divide_up(first.outputs, kPairColumns), kSteps,
                       alone ? ColumnOrder::quads : ColumnOrder::tiles,
                       [&](int k, int output) { return window_weight(first, swapped, k, output); });
    weights_ = packer.append(std::span<const __half>(weights));
    bias_ = packer.append(std::span<const float>(padded_bias(op.layers.back())));
  }

  void pack_block(const graph::Stem& op, WeightPacker& packer) {
    const graph::Convolution& first = op.layers[0];
    const graph::Convolution& last = op.layers[2];
    const int pairs = divide_up(first.outputs, kPairColumns);
    tiles_ = 2 * pairs;
    const std::vector<__half> records = depthwise_records(first, op.layers[1], tiles_);
    records_ = packer.append(std::span<const __half>(records));
    const std::vector<__half> weights = pack_fragments(
        divide_up(last.outputs, kPairColumns), pairs, ColumnOrder::quads,
        [&](int input, int output) { return pointwise_weight(last, input, output); });
    pointwise_ = packer.append(std::span<const __half>(weights));
  }

  Placement input_;
  Placement output_;
  bool reads_picture_;
  int tiles_ = 0;
  std::size_t weights_ = 0;
  std::size_t bias_ = 0;
  std::size_t records_ = 0;
  std::size_t pointwise_ = 0;
  StemArguments arguments_{};
};

}  // namespace

std::unique_ptr<Operator> make_stem(const NodeContext& context, WeightPacker& packer) {
  const auto* const op = std::get_if<graph::Stem>(&context.node.op);
  if (op == nullptr) return nullptr;
  return std::make_unique<StemOperator>(context, *op, packer);
}

}  // namespace facepipe::detector::engine
