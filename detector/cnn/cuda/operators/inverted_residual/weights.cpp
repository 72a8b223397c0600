#include "detector/cnn/cuda/operators/inverted_residual/weights.h"

#include <algorithm>
#include <limits>

namespace facepipe::detector::engine {
namespace {

constexpr int kChunk = 8;
constexpr int kLanes = 32;
constexpr int kTaps = 9;

int divide_up(int value, int by) { return (value + by - 1) / by; }

/// Holds the matrix of a 1x1 convolution. Elements beyond its edges are 0.
class Matrix {
 public:
  explicit Matrix(const graph::Convolution& op)
      : outputs_(op.outputs), inputs_(op.inputs), values_(op.weights.size()) {
    std::ranges::transform(op.weights, values_.begin(),
                           [](float value) { return __float2half_rn(value); });
  }
  [[nodiscard]] __half operator()(int output, int input) const {
    const bool inside = output < outputs_ && input < inputs_;
    return inside ? values_[static_cast<std::size_t>(output * inputs_ + input)] : __half{};
  }

 private:
  int outputs_;
  int inputs_;
  std::vector<__half> values_;
};

/// Appends a lane's part of fragment B: `chunks` * 8 rows of one column, beginning with row
/// `input`.
void append_fragment(std::vector<__half>& to, const Matrix& matrix, int lane, int output, int input,
                     int chunks) {
  for (int i = 0; i < chunks; ++i)
    for (int b = 0; b < 2; ++b) to.push_back(matrix(output, input + i * kChunk + lane % 4 * 2 + b));
}

void append_expand(std::vector<__half>& to, const Matrix& matrix, int expanded_group, int chunks) {
  for (int at = 0; at < chunks; at += 2)
    for (int lane = 0; lane < kLanes; ++lane)
      for (int tile = 0; tile < 2; ++tile)
        append_fragment(to, matrix, lane,
                        expanded_group * kExpandedGroup + tile * kChunk + lane / 4, at * kChunk,
                        at + 1 < chunks ? 2 : 1);
}

void append_depthwise(std::vector<__half>& to, const graph::InvertedResidual& op,
                      int expanded_group) {
  for (int t = 0; t < 4; ++t) {
    const auto append = [&](const std::vector<float>& values, int step, int offset) {
      for (int tile = 0; tile < 2; ++tile)
        for (int b = 0; b < 2; ++b) {
          const int channel = expanded_group * kExpandedGroup + tile * kChunk + 2 * t + b;
          const auto at = static_cast<std::size_t>(channel * step + offset);
          to.push_back(__float2half_rn(channel < op.depthwise.outputs ? values[at] : 0.0F));
        }
    };
    for (int tap = 0; tap < kTaps; ++tap) append(op.depthwise.weights, kTaps, tap);
    append(op.depthwise.bias, 1, 0);
    const std::size_t expand_bias = to.size();
    append(op.expand.bias, 1, 0);
    // Each bias is stored twice, because a lane uses it as C for two rows.
    const std::vector<__half> once(to.begin() + static_cast<std::ptrdiff_t>(expand_bias), to.end());
    to.resize(expand_bias);
    for (int tile = 0; tile < 2; ++tile)
      for (int copy = 0; copy < 2; ++copy)
        to.insert(to.end(), once.begin() + 2 * tile, once.begin() + 2 * tile + 2);
  }
}

/// Returns the output channel, within its group, of a column of a tile. With this order, each lane
/// has 4 or 8 neighbouring channels, see Projection.
int channel_of(int tiles, int tile, int column) {
  const int t = column / 2;
  const int b = column % 2;
  if (tiles == 4) return 8 * t + 2 * tile + b;
  return tile < 2 ? 4 * t + 2 * tile + b : 16 + column;
}

void append_project(std::vector<__half>& to, const Matrix& matrix, int expanded_group, int group,
                    int tiles) {
  const int first = group * tiles * kChunk;
  for (int pair = 0; pair < tiles; pair += 2)
    for (int lane = 0; lane < kLanes; ++lane)
      for (int tile = pair; tile < pair + 2 && tile < tiles; ++tile)
        append_fragment(to, matrix, lane, first + channel_of(tiles, tile, lane / 4),
                        expanded_group * kExpandedGroup, 2);
}

/// Returns the number of column tiles of a group that needs the least padding. Of equally good
/// numbers, returns the largest.
int column_tiles_of(int chunks) {
  int best = 4;
  for (const int tiles : {3, 2})
    if (divide_up(chunks, tiles) * tiles < divide_up(chunks, best) * best) best = tiles;
  return best;
}

}  // namespace

InvertedResidualShape shape_of(const graph::InvertedResidual& op, const graph::MapShape& output) {
  const int output_chunks = divide_up(op.project.outputs, kChunk);
  InvertedResidualShape shape;
  shape.input_chunks = compiled_chunks(divide_up(op.expand.inputs, kChunk));
  shape.expanded_groups = divide_up(op.expand.outputs, kExpandedGroup);
  shape.column_tiles = column_tiles_of(output_chunks);
  shape.column_groups = divide_up(output_chunks, shape.column_tiles);
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
  arguments.input_chunks = input_pitch / kChunk;
  arguments.expanded_groups = shape.expanded_groups;
  arguments.column_tiles = shape.column_tiles;
  arguments.column_groups = shape.column_groups;
  arguments.least = op.project.activation == graph::Activation::relu
                        ? 0.0F
                        : -std::numeric_limits<float>::infinity();
  return arguments;
}

InvertedResidualWeights pack_weights(const graph::InvertedResidual& op,
                                     const InvertedResidualShape& shape) {
  const Matrix expand(op.expand);
  const Matrix project(op.project);
  InvertedResidualWeights packed;
  for (int expanded_group = 0; expanded_group < shape.expanded_groups; ++expanded_group) {
    append_expand(packed.expand, expand, expanded_group, shape.input_chunks);
    append_depthwise(packed.depthwise, op, expanded_group);
    for (int group = 0; group < shape.column_groups; ++group)
      append_project(packed.project, project, expanded_group, group, shape.column_tiles);
  }
  packed.bias = op.project.bias;
  packed.bias.resize(static_cast<std::size_t>(shape.column_groups * shape.column_tiles * kChunk));
  return packed;
}

}  // namespace facepipe::detector::engine
