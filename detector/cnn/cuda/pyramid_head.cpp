#include "detector/cnn/cuda/pyramid_head.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "detector/cnn/cuda/chip.h"
#include "detector/cnn/cuda/operators/lane_weights.h"
#include "detector/cnn/cuda/pyramid_head_kernels.h"

namespace facepipe::detector::engine {
namespace {

constexpr int kTile = 8;

int divide_up(int value, int by) { return (value + by - 1) / by; }
int tiles_of(int channels) { return divide_up(channels, kTile); }

const graph::HeadTail::Part* part_named(const graph::HeadTail& tail, const std::string& name) {
  const auto at = std::find_if(tail.parts.begin(), tail.parts.end(),
                               [&](const auto& part) { return part.name == name; });
  return at != tail.parts.end() ? &*at : nullptr;
}

/// Returns the channels of the 1x1 convolution in the order in which the head reads them.
std::vector<int> channels_in_order(const Model& model, const graph::HeadTail& tail) {
  std::vector<int> order;
  for (const ModelOutput& output : model.outputs()) {
    const graph::HeadTail::Part& part = *part_named(tail, output.name);
    for (int c = 0; c < part.channels; ++c) order.push_back(part.first_channel + c);
  }
  return order;
}

float window_weight(const graph::Convolution& op, int tap, int input, int output) {
  if (input >= op.inputs || output >= op.outputs) return 0;
  return op.weights[static_cast<std::size_t>((output * op.inputs + input) * 9 + tap)];
}

/// Appends the lanes' words for a step of the sum. The step's input channels begin at `first`. Lane
/// 4g + t has the channels 2t and 2t + 1 for column g. In a step of 16 channels, the lane also has
/// the channels 2t + 8 and 2t + 9.
void pack_window_step(std::vector<__half>& halves, const graph::Convolution& op, int tap, int first,
                      int channels, int tiles) {
  for (int tile = 0; tile < tiles; ++tile)
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < channels / 4; ++i) {
        const int input = first + lane % 4 * 2 + i % 2 + i / 2 * 8;
        halves.push_back(__float2half_rn(window_weight(op, tap, input, kTile * tile + lane / 4)));
      }
}

/// Returns the weights in the layout that window_weight_bytes() describes.
std::vector<__half> pack_window(const graph::Convolution& op, int tiles) {
  std::vector<__half> halves;
  for (int tap = 0; tap < 9; ++tap)
    for (int step = 0; step < tiles / 2; ++step)
      pack_window_step(halves, op, tap, 2 * kTile * step, 2 * kTile, tiles);
  if (tiles % 2 != 0)
    for (int tap = 0; tap < 9; ++tap)
      pack_window_step(halves, op, tap, kTile * (tiles - 1), kTile, tiles);
  return halves;
}

/// Returns the number of warps of a block for which the busiest multiprocessor computes the fewest
/// rows. Rows that two blocks compute count twice.
int warps_for(int tiles, Size map, int multiprocessors) {
  int best = kLeastHeadWarps;
  int least = std::numeric_limits<int>::max();
  for (int warps = kLeastHeadWarps; warps <= kMostHeadWarps; warps += kHeadWarpStep) {
    const int at_once = prepare_pyramid_head(tiles, warps);
    if (at_once == 0) continue;
    const int blocks =
        words_of_row(map.width) * divide_up(map.height, head_warp_rows(tiles) * warps);
    const int rows = divide_up(blocks, at_once * multiprocessors) * at_once *
                     (head_warp_rows(tiles) * warps + 2);
    if (rows > least) continue;
    least = rows;
    best = warps;
  }
  return best;
}

/// Returns a lower bound of the values, before the activation, whose score may pass the threshold.
/// The bound holds for any rounding of the activation.
float least_of(float threshold, graph::Activation pending) {
  if (pending != graph::Activation::sigmoid) return threshold;
  constexpr double kRounding = 1e-6;
  const double score = threshold - kRounding;
  if (score <= 0) return -std::numeric_limits<float>::infinity();
  return static_cast<float>(std::log(score / (1 - score)) - 0.01);
}

/// Returns whether the kernels can read the cells of this head.
bool is_read_by_kernels(const HeadData& head) {
  return head.kind == HeadKind::centerface && head.anchors == 1;
}

/// Returns the arguments that are the same for each detection. The addresses are null.
HeadArguments arguments_of(const Model& model, const NetworkFit& fit, const graph::HeadTail& tail,
                           const Placement& fine, float score_threshold) {
  if (!PyramidHead::fits(model, tail))
    throw Error(ErrorKind::internal, "detector: the kernels can't compute this head");
  HeadArguments a{};
  Level& level = a.levels[0];
  for (std::size_t t = 0; t < kHeadTensors; ++t) {
    const ModelOutput& output = model.outputs()[t];
    level.tensors[t] = {nullptr, kHeadChannels, output.channels,
                        part_named(tail, output.name)->pending};
  }
  level.columns = static_cast<std::uint32_t>(fine.shape.width);
  level.stride = static_cast<float>(model.outputs().front().stride);
  a.level_count = 1;
  a.anchors = 1;
  a.landmarks = model.head().landmarks;
  a.cells = static_cast<std::uint32_t>(fine.pixels());
  a.threshold = score_threshold;
  set_frame(a, fit);
  return a;
}

}  // namespace

bool PyramidHead::fits(const Model& model, const graph::HeadTail& tail) {
  if (!is_read_by_kernels(model.head()) || tail.outputs.outputs > kHeadChannels) return false;
  const int tiles = tiles_of(tail.window.outputs);
  if (tiles < kLeastHeadTiles || tiles > kMostHeadTiles || tiles_of(tail.window.inputs) != tiles)
    return false;
  return model.outputs().size() == kHeadTensors && tail.parts.size() == kHeadTensors &&
         std::all_of(model.outputs().begin(), model.outputs().end(), [&](const auto& output) {
           const auto* const part = part_named(tail, output.name);
           return part != nullptr && part->channels == output.channels &&
                  output.stride == model.outputs().front().stride;
         });
}

PyramidHead::PyramidHead(const Model& model, const NetworkFit& fit, const graph::HeadTail& tail,
                         const Placement& coarse, const Placement& fine, float score_threshold)
    : head_(arguments_of(model, fit, tail, fine, score_threshold)),
      coarse_(coarse),
      fine_(fine),
      tiles_(tiles_of(tail.window.outputs)) {
  const int stride = model.outputs().front().stride;
  const Size map{fit.network.width / stride, fit.network.height / stride};
  if (fine.shape.width != map.width || fine.shape.height != map.height)
    throw Error(ErrorKind::internal, "detector: the head's maps have another size");
  const Chip chip = current_chip();
  overlap_ = overlap_of(chip);
  warps_ = warps_for(tiles_, map, chip.multiprocessors);
  WeightPacker packer;
  pack(tail, channels_in_order(model, tail), packer);
  weights_ = packer.upload();
}

void PyramidHead::pack(const graph::HeadTail& tail, const std::vector<int>& channels,
                       WeightPacker& packer) {
  step_ = std::make_unique<PyramidWeights>(tail.step, coarse_.pitch, fine_.pitch, packer);
  window_ = packer.append(std::span<const __half>(pack_window(tail.window, tiles_)));
  std::vector<float> bias = tail.window.bias;
  bias.resize(static_cast<std::size_t>(tiles_ * kTile));
  window_bias_ = packer.append(std::span<const float>(bias));
  const graph::Convolution& op = tail.outputs;
  const auto weight = [&](int input, int column) {
    if (input >= op.inputs || column >= static_cast<int>(channels.size())) return 0.0F;
    const int output = channels[static_cast<std::size_t>(column)];
    return op.weights[static_cast<std::size_t>(output * op.inputs + input)];
  };
  outputs_ = packer.append(
      std::span<const __half>(pack_fragments(1, divide_up(tiles_, 2), ColumnOrder::tiles, weight)));
  bias.assign(kHeadChannels, 0);
  std::transform(channels.begin(), channels.end(), bias.begin(),
                 [&](int output) { return op.bias[static_cast<std::size_t>(output)]; });
  outputs_bias_ = packer.append(std::span<const float>(bias));
}

std::size_t PyramidHead::scratch_words() const {
  const auto rows = static_cast<std::size_t>(fine_.shape.height);
  return fine_.pixels() * kHeadChannels +
         rows * static_cast<std::size_t>(words_of_row(fine_.shape.width));
}

void PyramidHead::enqueue(const std::byte* activations, cuda::DeviceSpan<std::uint32_t> scratch,
                          const cuda::DeviceDetections& to, cuda::StreamView stream) const {
  check(scratch, head_.landmarks, to);
  // The cast is safe, because the kernels only read the activations.
  const Memory memory{const_cast<std::byte*>(activations),  // NOLINT
                      weights_.data()};
  PyramidHeadArguments a{};
  step_->fill(a.step, memory);
  a.step.coarse = value_pointer<__half>(memory, coarse_);
  a.step.fine = value_pointer<__half>(memory, fine_);
  a.step.coarse_pitch = coarse_.pitch;
  a.step.fine_pitch = fine_.pitch;
  a.step.height = fine_.shape.height;
  a.step.width = fine_.shape.width;
  a.window = weight_pointer<std::byte>(memory, window_);
  a.window_bias = weight_pointer<float>(memory, window_bias_);
  a.outputs = weight_pointer<uint4>(memory, outputs_);
  a.outputs_bias = weight_pointer<float>(memory, outputs_bias_);
  a.cells = reinterpret_cast<float*>(scratch.data);  // NOLINT: typed memory in one block
  a.words = scratch.data + fine_.pixels() * kHeadChannels;
  a.head = head_;
  const float* values = a.cells;
  for (HeadTensor& tensor : a.head.levels[0].tensors) {
    tensor.values = values;
    values += tensor.channels;
  }
  a.head.to = to;
  a.least = least_of(head_.threshold, head_.levels[0].tensors[0].pending);
  launch_pyramid_head(tiles_, warps_, a, overlap_, stream);
}

}  // namespace facepipe::detector::engine
