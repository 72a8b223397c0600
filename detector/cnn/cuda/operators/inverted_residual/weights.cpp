#include "detector/cnn/cuda/operators/inverted_residual/weights.h"

#include <limits>

namespace facepipe::engine {
namespace {

constexpr int kEighth = 8;
constexpr int kLanes = 32;
constexpr int kTaps = 9;

int divide_up(int value, int by) { return (value + by - 1) / by; }

/// A matrix of a 1x1 convolution, zero beyond its edges.
class Matrix {
 public:
  explicit Matrix(const graph::Convolution& op) : op_(op) {}
  [[nodiscard]] __half operator()(int output, int input) const {
    const bool inside = output < op_.outputs && input < op_.inputs;
    return __float2half_rn(
        inside ? op_.weights[static_cast<std::size_t>(output * op_.inputs + input)] : 0.0F);
  }

 private:
  const graph::Convolution& op_;
};

/// Appends a lane's part of B: `eighths` times 8 rows, from `input` on, of one column.
void append_fragment(std::vector<__half>& to, const Matrix& matrix, int lane, int output, int input,
                     int eighths) {
  for (int i = 0; i < eighths; ++i)
    for (int b = 0; b < 2; ++b)
      to.push_back(matrix(output, input + i * kEighth + lane % 4 * 2 + b));
}

void append_expand(std::vector<__half>& to, const graph::Convolution& op, int chunk, int eighths) {
  const Matrix matrix(op);
  for (int at = 0; at < eighths; at += 2)
    for (int lane = 0; lane < kLanes; ++lane)
      for (int tile = 0; tile < 2; ++tile)
        append_fragment(to, matrix, lane, chunk * kExpandedStep + tile * kEighth + lane / 4,
                        at * kEighth, at + 1 < eighths ? 2 : 1);
}

void append_depthwise(std::vector<__half>& to, const graph::InvertedResidual& op, int chunk) {
  for (int t = 0; t < 4; ++t) {
    const auto append = [&](const std::vector<float>& values, int step, int offset) {
      for (int tile = 0; tile < 2; ++tile)
        for (int b = 0; b < 2; ++b) {
          const int channel = chunk * kExpandedStep + tile * kEighth + 2 * t + b;
          const auto at = static_cast<std::size_t>(channel * step + offset);
          to.push_back(__float2half_rn(channel < op.depthwise.outputs ? values[at] : 0.0F));
        }
    };
    for (int tap = 0; tap < kTaps; ++tap) append(op.depthwise.weights, kTaps, tap);
    append(op.depthwise.bias, 1, 0);
    const std::size_t expand_bias = to.size();
    append(op.expand.bias, 1, 0);
    // Twice each: they are C of both rows.
    const std::vector<__half> once(to.begin() + static_cast<std::ptrdiff_t>(expand_bias), to.end());
    to.resize(expand_bias);
    for (int tile = 0; tile < 2; ++tile)
      for (int copy = 0; copy < 2; ++copy)
        to.insert(to.end(), once.begin() + 2 * tile, once.begin() + 2 * tile + 2);
  }
}

/// The output channel of a column of a group, see Projection::channel_of().
int channel_of(int tiles, int tile, int column) {
  const int t = column / 2;
  const int b = column % 2;
  if (tiles == 4) return 8 * t + 2 * tile + b;
  return tile < 2 ? 4 * t + 2 * tile + b : 16 + column;
}

void append_project(std::vector<__half>& to, const graph::Convolution& op, int chunk, int group,
                    int tiles) {
  const Matrix matrix(op);
  const int first = group * tiles * kEighth;
  for (int pair = 0; pair < tiles; pair += 2)
    for (int lane = 0; lane < kLanes; ++lane)
      for (int tile = pair; tile < pair + 2 && tile < tiles; ++tile)
        append_fragment(to, matrix, lane, first + channel_of(tiles, tile, lane / 4),
                        chunk * kExpandedStep, 2);
}

/// Column tiles of a group: those that need the least padding, and of these the most.
int column_tiles_of(int eighths) {
  int best = 4;
  for (const int tiles : {3, 2})
    if (divide_up(eighths, tiles) * tiles < divide_up(eighths, best) * best) best = tiles;
  return best;
}

}  // namespace

InvertedResidualShape shape_of(const graph::InvertedResidual& op, const graph::MapShape& output) {
  const int output_eighths = divide_up(op.project.outputs, kEighth);
  InvertedResidualShape shape;
  shape.input_eighths = compiled_eighths(divide_up(op.expand.inputs, kEighth));
  shape.chunks = divide_up(op.expand.outputs, kExpandedStep);
  shape.column_tiles = column_tiles_of(output_eighths);
  shape.column_groups = divide_up(output_eighths, shape.column_tiles);
  shape.stride = op.depthwise.window.stride_y;
  shape.output_height = output.height;
  shape.output_width = output.width;
  return shape;
}

InvertedResidualArguments arguments_of(const graph::InvertedResidual& op,
                                       const InvertedResidualShape& shape,
                                       const graph::MapShape& input, int input_pitch,
                                       int output_pitch) {
  InvertedResidualArguments arguments{};
  arguments.input_height = input.height;
  arguments.input_width = input.width;
  arguments.input_pitch = input_pitch;
  arguments.output_height = shape.output_height;
  arguments.output_width = shape.output_width;
  arguments.output_pitch = output_pitch;
  arguments.input_eighths = input_pitch / kEighth;
  arguments.chunks = shape.chunks;
  arguments.column_tiles = shape.column_tiles;
  arguments.column_groups = shape.column_groups;
  arguments.least = op.project.activation == graph::Activation::relu
                        ? 0.0F
                        : -std::numeric_limits<float>::infinity();
  return arguments;
}

InvertedResidualWeights pack_weights(const graph::InvertedResidual& op,
                                     const InvertedResidualShape& shape) {
  InvertedResidualWeights packed;
  for (int chunk = 0; chunk < shape.chunks; ++chunk) {
    append_expand(packed.expand, op.expand, chunk, shape.input_eighths);
    append_depthwise(packed.depthwise, op, chunk);
    for (int group = 0; group < shape.column_groups; ++group)
      append_project(packed.project, op.project, chunk, group, shape.column_tiles);
  }
  packed.bias = op.project.bias;
  packed.bias.resize(static_cast<std::size_t>(shape.column_groups * shape.column_tiles * kEighth));
  return packed;
}

}  // namespace facepipe::engine
