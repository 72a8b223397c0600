#include "detector/cnn/cuda/operators/convolution.h"

#include <limits>
#include <variant>

#include "detector/cnn/cuda/operators/operator.h"
#include "detector/cnn/model/graph/fuse_stem.h"

namespace facepipe::detector::engine {
namespace {

constexpr int kTransposedFactor = 2;
constexpr int kSubPixels = kTransposedFactor * kTransposedFactor;

int round_up(int value, int step) { return (value + step - 1) / step * step; }

/// Holds the weights in the order in which the kernel reads them: column by column, the values of
/// all k.
struct Matrix {
  int columns = 0;  ///< padded to whole tiles
  int k_size = 0;   ///< padded to whole steps
  std::vector<__half> weights;
  std::vector<float> bias;

  Matrix(int columns_, int k_size_)
      : columns(columns_),
        k_size(k_size_),
        weights(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(k_size_)),
        bias(static_cast<std::size_t>(columns_)) {}
  void set(int column, int k, float value) {
    weights[static_cast<std::size_t>(column) * static_cast<std::size_t>(k_size) +
            static_cast<std::size_t>(k)] = __float2half_rn(value);
  }
};

/// Returns the index k of a tap's input channel.
int k_of(ConvolutionKind kind, const graph::Convolution& op, int tap, int channel) {
  // For a stem, a row of the window has four pixels; the weights of the last pixel are 0.
  if (kind == ConvolutionKind::stem)
    return (tap / op.window.kernel_width * 4 + tap % op.window.kernel_width) *
               Placement::kImagePitch +
           channel;
  return tap * padded(op.inputs) + channel;
}

int chunks_of(ConvolutionKind kind, const graph::Convolution& op) {
  if (kind == ConvolutionKind::stem) return 3 * 2;  // a row of the window is two chunks
  return op.window.taps() * padded(op.inputs) / kChannelStep;
}

Matrix matrix_of(ConvolutionKind kind, const graph::Convolution& op, int columns, int step) {
  Matrix matrix(columns, round_up(chunks_of(kind, op) * kChannelStep, step));
  const int taps = op.window.taps();
  std::size_t at = 0;
  for (int o = 0; o < op.outputs; ++o) {
    matrix.bias[static_cast<std::size_t>(o)] = op.bias[static_cast<std::size_t>(o)];
    for (int i = 0; i < op.inputs; ++i)
      for (int tap = 0; tap < taps; ++tap) matrix.set(o, k_of(kind, op, tap, i), op.weights[at++]);
  }
  return matrix;
}

Matrix matrix_of(const graph::TransposedConvolution& op, int columns, int step) {
  Matrix matrix(columns, round_up(op.inputs, step));
  const int channels = padded(op.outputs);
  for (int sub = 0; sub < kSubPixels; ++sub)
    for (int o = 0; o < op.outputs; ++o) {
      const int column = sub * channels + o;
      matrix.bias[static_cast<std::size_t>(column)] = op.bias[static_cast<std::size_t>(o)];
      for (int i = 0; i < op.inputs; ++i)
        matrix.set(column, i,
                   op.weights[static_cast<std::size_t>((i * op.outputs + o) * kSubPixels + sub)]);
    }
  return matrix;
}

/// Returns how long a tile of `tile_columns` * 8 channels takes, relative to a tile of 64 channels.
/// The numbers were measured on an H100. Tiles with short sums spend most time on storing results,
/// tiles with long sums on loading operands.
double cost_of(int tile_columns, bool long_sum) {
  if (long_sum) return (tile_columns + 4) / 12.0;
  switch (tile_columns) {
    case 2:
      return 0.6;
    case 3:
      return 0.7;
    case 4:
      return 0.8;
    case 6:
      return 1.08;
    case 8:
      return 1;
    case 10:
      return 1.33;
    default:
      return 1.65;
  }
}

/// Returns the tile with which the busiest multiprocessor has the least work. All tiles add up in
/// the same order, so the choice doesn't change the results.
ConvolutionTile tile_for(ConvolutionKind kind, int rows, int columns, int chunks,
                         const Chip& chip) {
  constexpr int kRowUnit = 64;
  constexpr int kLongSum = 192;
  const int eighths = columns / kChannelStep;
  const int sum = chunks * kChannelStep;
  const auto load = [&](ConvolutionTile tile) {
    const int unit = kRowUnit * tile.rows;
    const int blocks = (rows + unit - 1) / unit * ((eighths + tile.columns - 1) / tile.columns);
    return static_cast<double>(blocks) / chip.multiprocessors;
  };
  ConvolutionTile best;
  double least = std::numeric_limits<double>::infinity();
  for (const int candidate : kTileColumns) {
    const ConvolutionTile tile{1, candidate, kShortStep};
    const double cost = cost_of(candidate, sum >= kLongSum) * (load(tile) + 1);
    if (cost > least) continue;
    least = cost;
    best = tile;
  }
  const bool tall = kind == ConvolutionKind::window || kind == ConvolutionKind::stem ||
                    (best.columns <= 3 && sum <= kShortStep) || sum >= 2 * kLongSum;
  if (tall && load({2, best.columns, best.step}) >= 2) best.rows = 2;
  const ConvolutionTile longer{best.rows, best.columns, kLongStep};
  if (kind == ConvolutionKind::pointwise && sum >= kLongStep &&
      convolution_shared_bytes(longer) <= chip.shared_bytes)
    return longer;
  return best;
}

/// Computes plain and transposed convolutions, which differ only in the packing of the weights.
class ConvolutionOperator : public Operator {
 public:
  ConvolutionOperator(const NodeContext& context, WeightPacker& packer, ConvolutionKind kind,
                      const Matrix& matrix, ConvolutionTile tile, ConvolutionArguments arguments)
      : kind_(kind),
        tile_(tile),
        inputs_(context.inputs),
        output_(context.outputs[0]),
        weights_(packer.append(std::span<const __half>(matrix.weights))),
        bias_(packer.append(std::span<const float>(matrix.bias))),
        arguments_(arguments) {
    arguments_.input_height = inputs_[0].shape.height;
    arguments_.input_width = inputs_[0].shape.width;
    arguments_.input_pitch = inputs_[0].pitch;
    arguments_.output_pitch = output_.pitch;
    if (inputs_.size() > 1) arguments_.residual.pitch = inputs_[1].pitch;
    prepare_convolution(kind_, f32(), tile_);
  }

  void enqueue(const Memory& memory, cuda::StreamView stream) const override {
    ConvolutionArguments arguments = arguments_;
    arguments.input = value_pointer<__half>(memory, inputs_[0]);
    if (inputs_.size() > 1) arguments.residual.values = value_pointer<__half>(memory, inputs_[1]);
    arguments.output = value_address(memory, output_);
    arguments.weights = weight_pointer<__half>(memory, weights_);
    arguments.bias = weight_pointer<float>(memory, bias_);
    launch_convolution(kind_, f32(), tile_, arguments, stream.get());
  }

 private:
  [[nodiscard]] bool f32() const { return output_.element == Element::f32; }

  ConvolutionKind kind_;
  ConvolutionTile tile_;
  std::vector<Placement> inputs_;
  Placement output_;
  std::size_t weights_;
  std::size_t bias_;
  ConvolutionArguments arguments_;
};

std::unique_ptr<Operator> make_plain(const NodeContext& context, const graph::Convolution& op,
                                     WeightPacker& packer) {
  if (op.groups != 1)
    refuse_node(context.graph, context.node,
                "the CUDA engine has no kernel for " + std::to_string(op.groups) + " groups");
  const bool image = context.inputs[0].image;
  NodeContext checked = context;
  checked.inputs[0].image = false;
  const bool f32 = context.outputs[0].element == Element::f32;
  expect_parts(checked, !image);
  if (image && (!graph::is_stem(op) || f32))
    refuse_node(context.graph, context.node, "only the first convolution can read the picture");
  const ConvolutionKind kind = image            ? ConvolutionKind::stem
                               : op.pointwise() ? ConvolutionKind::pointwise
                                                : ConvolutionKind::window;
  const graph::MapShape out = context.outputs[0].shape;
  ConvolutionArguments arguments{};
  arguments.rows = out.height * out.width;
  arguments.columns = padded(op.outputs);
  arguments.chunks = chunks_of(kind, op);
  arguments.tap_chunks = padded(op.inputs) / kChannelStep;
  arguments.row_width = out.width;
  arguments.window = op.window;
  arguments.activation = op.activation;
  const ConvolutionTile tile =
      tile_for(kind, arguments.rows, arguments.columns, arguments.chunks, context.chip);
  const int columns = round_up(arguments.columns, tile.columns * kChannelStep);
  return std::make_unique<ConvolutionOperator>(
      context, packer, kind, matrix_of(kind, op, columns, tile.step), tile, arguments);
}

std::unique_ptr<Operator> make_transposed(const NodeContext& context,
                                          const graph::TransposedConvolution& op,
                                          WeightPacker& packer) {
  expect_plain(context, false);
  if (op.factor != kTransposedFactor)
    refuse_node(context.graph, context.node,
                "the CUDA engine has no kernel for a factor of " + std::to_string(op.factor));
  const graph::MapShape in = context.inputs[0].shape;
  ConvolutionArguments arguments{};
  arguments.rows = in.height * in.width;
  arguments.columns = kSubPixels * padded(op.outputs);
  arguments.chunks = padded(op.inputs) / kChannelStep;
  arguments.tap_chunks = arguments.chunks;
  arguments.row_width = in.width;
  arguments.activation = op.activation;
  constexpr auto kKind = ConvolutionKind::transposed;
  const ConvolutionTile tile =
      tile_for(kKind, arguments.rows, arguments.columns, arguments.chunks, context.chip);
  const int columns = round_up(arguments.columns, tile.columns * kChannelStep);
  return std::make_unique<ConvolutionOperator>(context, packer, kKind,
                                               matrix_of(op, columns, tile.step), tile, arguments);
}

}  // namespace

std::unique_ptr<Operator> make_convolution(const NodeContext& context, WeightPacker& packer) {
  if (const auto* const op = std::get_if<graph::Convolution>(&context.node.op))
    return make_plain(context, *op, packer);
  if (const auto* const op = std::get_if<graph::TransposedConvolution>(&context.node.op))
    return make_transposed(context, *op, packer);
  return nullptr;
}

}  // namespace facepipe::detector::engine
