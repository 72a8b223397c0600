#include "detector/cnn/cuda/operators/pairs/packing.h"

#include <vector>

namespace facepipe::detector::engine {
namespace {

constexpr int kLanes = 32;
constexpr int kStep = 16;  // number of inputs of one product of matrices
// number of halves of a lane: two products with two registers of two halves each
constexpr int kFragments = 8;
constexpr int kTaps = 9;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Returns fragments B of m16n8k16 for the two products of a group. Columns are assigned to
/// channels in such an order that a lane's results are the channels 4t..4t+3, see pairs/warp.cuh.
std::vector<__half> fragments(const graph::Convolution& op, int steps) {
  const int groups = pair_groups(op.outputs);
  std::vector<__half> packed(at(groups * steps * kLanes * kFragments), __float2half(0.0F));
  for (std::size_t i = 0; i < packed.size(); ++i) {
    const int fragment = static_cast<int>(i) % kFragments;
    const int lane = static_cast<int>(i) / kFragments % kLanes;
    const int step = static_cast<int>(i) / (kFragments * kLanes) % steps;
    const int group = static_cast<int>(i) / (kFragments * kLanes * steps);
    const int product = fragment / 4;
    const int column = lane / 4;
    const int output = group * kPairGroup + column / 2 * 4 + product * 2 + column % 2;
    const int input = step * kStep + fragment / 2 % 2 * 8 + lane % 4 * 2 + fragment % 2;
    if (output < op.outputs && input < op.inputs)
      packed[i] = __float2half_rn(op.weights[at(output * op.inputs + input)]);
  }
  return packed;
}

std::vector<float> padded_bias(const graph::Convolution& op) {
  std::vector<float> bias(at(pair_groups(op.outputs) * kPairGroup));
  std::copy(op.bias.begin(), op.bias.end(), bias.begin());
  return bias;
}

/// Returns the depthwise weights in the order taps x channels.
std::vector<float> taps(const graph::Convolution& op) {
  const int channels = pair_groups(op.outputs) * kPairGroup;
  std::vector<float> result(at(kTaps * channels));
  for (int c = 0; c < op.outputs; ++c)
    for (int tap = 0; tap < kTaps; ++tap)
      result[at(tap * channels + c)] = op.weights[at(c * kTaps + tap)];
  return result;
}

std::size_t append(const std::vector<float>& values, bool floats, WeightPacker& packer) {
  if (floats) return packer.append(std::span<const float>(values));
  std::vector<__half> halves;
  for (const float value : values) halves.push_back(__float2half_rn(value));
  return packer.append(std::span<const __half>(halves));
}

}  // namespace

PackedPair pack_pair(const graph::Pair& pair, int steps, bool floats, WeightPacker& packer) {
  PackedPair packed;
  packed.pointwise = packer.append(std::span<const __half>(fragments(pair.pointwise, steps)));
  packed.pointwise_bias = append(padded_bias(pair.pointwise), true, packer);
  packed.depthwise = append(taps(pair.depthwise), floats, packer);
  packed.depthwise_bias = append(padded_bias(pair.depthwise), floats, packer);
  return packed;
}

}  // namespace facepipe::detector::engine
