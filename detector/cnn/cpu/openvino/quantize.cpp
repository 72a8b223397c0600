#include "detector/cnn/cpu/openvino/quantize.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <openvino/op/add.hpp>
#include <openvino/op/constant.hpp>
#include <openvino/op/convolution.hpp>
#include <openvino/op/fake_quantize.hpp>
#include <openvino/op/group_conv.hpp>
#include <openvino/op/parameter.hpp>
#include <openvino/pass/constant_folding.hpp>
#include <openvino/pass/manager.hpp>
#include <optional>
#include <set>
#include <utility>

namespace facepipe::detector {
namespace {

constexpr std::size_t kLevels = 256;
// Weights have one level less, so that 0 is the middle level and both signs have the same range.
constexpr std::size_t kWeightLevels = 255;
constexpr float kTop = 255;

// Other pictures give slightly larger values than the measured pictures. Clipping values costs more
// precision than wider steps.
constexpr float kMargin = 1.15F;
// Least magnitude of a channel, as a share of the tensor's magnitude. It is needed because a
// channel that was nearly constant in the measured pictures may vary in others.
constexpr float kLeastChannel = 0.1F;
// Least weight of a channel, as a share of the largest weight. It limits the stretching of a
// channel whose weights are very small.
constexpr float kLeastWeight = 0.02F;
// An exponent: 1 makes the magnitudes of all channels equal, and 0 makes their largest weights
// equal. Values from 0 to 1 were tried in steps of 0.1. The error of CenterFace's heatmap was
// smallest at 0.4, and twice as large at 1.
constexpr float kEvened = 0.4F;
constexpr float kTiny = 1e-8F;

/// Holds the weights of any kind of convolution in one form. for_each() says to which input and
/// output channel each weight belongs.
struct Weights {
  std::vector<float> values;
  ov::Shape shape;
  std::size_t groups = 1;
  std::size_t outputs = 0;  ///< number of output channels in a group
  std::size_t inputs = 0;   ///< number of input channels in a group
  bool inputs_first = false;

  void for_each(const std::function<void(float& value, std::size_t in, std::size_t out)>& visit) {
    const std::size_t kernel = values.size() / (groups * outputs * inputs);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t pair = i / kernel;
      const std::size_t outer = pair / (outputs * inputs);
      const std::size_t in = inputs_first ? pair / outputs % inputs : pair % inputs;
      const std::size_t out = inputs_first ? pair % outputs : pair / inputs % outputs;
      visit(values[i], outer * inputs + in, outer * outputs + out);
    }
  }
  [[nodiscard]] std::size_t all_inputs() const { return groups * inputs; }
  [[nodiscard]] std::size_t all_outputs() const { return groups * outputs; }

  /// Returns the shape of a constant that has one value for each output channel.
  [[nodiscard]] ov::Shape output_shape() const {
    ov::Shape one(shape.size(), 1);
    if (groups > 1) one[0] = groups;
    one[inputs_first || groups > 1 ? 1 : 0] = outputs;
    return one;
  }
};

using ov::op::v1::Convolution;
using Transposed = ov::op::v1::ConvolutionBackpropData;
using Grouped = ov::op::v1::GroupConvolution;

bool is_convolution(const ov::Node& node) {
  return ov::is_type<Convolution>(&node) || ov::is_type<Transposed>(&node) ||
         ov::is_type<Grouped>(&node);
}

bool is_constant(const ov::Output<ov::Node>& value) {
  return ov::is_type<ov::op::v0::Constant>(value.get_node());
}

/// Returns whether a node adds two tensors of the same shape. Adding a bias doesn't count.
bool is_addition(const ov::Node& node) {
  return ov::is_type<ov::op::v1::Add>(&node) && !is_constant(node.input_value(0)) &&
         !is_constant(node.input_value(1)) && node.get_input_shape(0) == node.get_input_shape(1);
}

/// Returns the weights of a convolution; nullopt if they are not constant. Such a convolution stays
/// unchanged, and convolutions_not_in_i8() reports it.
std::optional<Weights> weights_of(const ov::Node& convolution) {
  const auto constant =
      ov::as_type_ptr<ov::op::v0::Constant>(convolution.get_input_node_shared_ptr(1));
  if (!constant) return std::nullopt;
  Weights weights;
  weights.values = constant->cast_vector<float>();
  weights.shape = constant->get_shape();
  if (ov::is_type<Grouped>(&convolution)) {
    weights.groups = weights.shape[0];
    weights.outputs = weights.shape[1];
    weights.inputs = weights.shape[2];
  } else {
    weights.inputs_first = ov::is_type<Transposed>(&convolution);
    weights.outputs = weights.shape[weights.inputs_first ? 1 : 0];
    weights.inputs = weights.shape[weights.inputs_first ? 0 : 1];
  }
  return weights;
}

/// Returns the shortest name of a tensor. A tensor may have several names, in no defined order.
std::string name_of(const ov::Output<ov::Node>& value) {
  const auto& names = value.get_names();
  const auto shorter = [](const std::string& a, const std::string& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  };
  if (names.empty()) return value.get_node()->get_friendly_name();
  return *std::min_element(names.begin(), names.end(), shorter);
}

std::shared_ptr<ov::op::v0::Constant> constant(const ov::Shape& shape,
                                               const std::vector<float>& values) {
  return ov::op::v0::Constant::create(ov::element::f32, shape, values);
}

struct Interval {
  float low = 0;
  float high = 0;
};

/// Returns the smallest interval that contains `wanted` and in which 0 is one of the 256 levels.
Interval with_zero_level(Interval wanted) {
  const float high = std::max(wanted.high, kTiny);
  if (wanted.low >= 0) return {0, high};
  const float step = (high - wanted.low) / kTop;
  const float zero = std::clamp(std::round(-wanted.low / step), 1.0F, kTop - 1);
  const float wider = std::max(-wanted.low / zero, high / (kTop - zero));
  return {-zero * wider, (kTop - zero) * wider};
}

/// Describes the levels of a tensor. In each channel, they divide the interval `levels`, multiplied
/// by the channel's factor.
struct Placement {
  Interval levels;
  std::vector<float> factors;  ///< 0..1; empty if all are 1
};

/// Describes a tensor and the nodes that read it.
struct Use {
  ov::Output<ov::Node> value;
  std::vector<ov::Input<ov::Node>> convolutions;
  std::vector<ov::Input<ov::Node>> additions;
};

Use use_of(const ov::Output<ov::Node>& value) {
  Use use{value, {}, {}};
  for (const ov::Input<ov::Node>& reader : value.get_target_inputs()) {
    if (is_convolution(*reader.get_node()) && reader.get_index() == 0)
      use.convolutions.push_back(reader);
    if (is_addition(*reader.get_node())) use.additions.push_back(reader);
  }
  return use;
}

/// Returns, for each channel, the largest weight that multiplies it; empty if this isn't known.
std::vector<float> largest_weights(const Use& use, std::size_t channels) {
  std::vector<float> largest(channels, 0);
  for (const ov::Input<ov::Node>& reader : use.convolutions) {
    std::optional<Weights> weights = weights_of(*reader.get_node());
    if (!weights || weights->all_inputs() != channels) return {};
    weights->for_each([&](const float& value, std::size_t in, std::size_t) {
      largest[in] = std::max(largest[in], std::abs(value));
    });
  }
  const float least = std::max(kTiny, kLeastWeight * *std::ranges::max_element(largest));
  for (float& value : largest) value = std::max(value, least);
  return largest;
}

bool only_depthwise(const Use& use) {
  return std::ranges::all_of(use.convolutions, [](const ov::Input<ov::Node>& reader) {
    return ov::is_type<Grouped>(reader.get_node()) && reader.get_node()->get_input_shape(1)[2] == 1;
  });
}

/// Chooses the stretching of channels, so that activations and weights lose about the same
/// precision. A depthwise convolution has its own scale for each channel's weights, so all channels
/// become equally large there. An addition needs the same steps in both operands, so channels are
/// not stretched.
Placement place(const Use& use, const TensorRange& range) {
  const float largest = std::max({-range.low, range.high, kTiny}) * kMargin;
  std::vector<float> magnitudes;
  for (const std::uint8_t percent : range.channels)
    magnitudes.push_back(largest * std::max(static_cast<float>(percent) / 100, kLeastChannel));
  const std::vector<float> weights = largest_weights(use, magnitudes.size());
  if (!use.additions.empty() || use.convolutions.empty() || weights.empty())
    return {with_zero_level({range.low * kMargin, range.high * kMargin}), {}};
  const bool depthwise = only_depthwise(use);
  std::vector<float> factors;
  for (std::size_t c = 0; c < magnitudes.size(); ++c)
    factors.push_back(depthwise
                          ? magnitudes[c]
                          : std::pow(magnitudes[c], kEvened) / std::pow(weights[c], 1 - kEvened));
  const float most = *std::ranges::max_element(factors);
  Interval held;
  for (std::size_t c = 0; c < factors.size(); ++c) {
    factors[c] /= most;
    held.low = std::min(held.low, std::max(range.low * kMargin, -magnitudes[c]) / factors[c]);
    held.high = std::max(held.high, std::min(range.high * kMargin, magnitudes[c]) / factors[c]);
  }
  return {with_zero_level(held), std::move(factors)};
}

std::shared_ptr<ov::Node> levels_of(const ov::Output<ov::Node>& value, const Placement& placement) {
  const auto [low, high] = placement.levels;
  const auto whole_low = constant({}, {low});
  const auto whole_high = constant({}, {high});
  if (placement.factors.empty())
    return std::make_shared<ov::op::v0::FakeQuantize>(value, whole_low, whole_high, whole_low,
                                                      whole_high, kLevels);
  std::vector<float> lows;
  std::vector<float> highs;
  for (const float factor : placement.factors) {
    lows.push_back(low * factor);
    highs.push_back(high * factor);
  }
  const ov::Shape shape{1, placement.factors.size(), 1, 1};
  return std::make_shared<ov::op::v0::FakeQuantize>(
      value, constant(shape, lows), constant(shape, highs), whole_low, whole_high, kLevels);
}

/// Multiplies weights by the `factors` of their inputs. Then quantizes them, with separate levels
/// for each output channel.
void quantize_weights(ov::Node& convolution, const std::vector<float>& factors, Products products) {
  std::optional<Weights> weights = weights_of(convolution);
  if (!weights) return;
  std::vector<float> largest(weights->all_outputs(), kTiny);
  weights->for_each([&](float& value, std::size_t in, std::size_t out) {
    if (!factors.empty()) value *= factors[in];
    largest[out] = std::max(largest[out], std::abs(value));
  });
  if (products == Products::saturate)
    for (float& value : largest) value *= 2;
  const auto high = constant(weights->output_shape(), largest);
  for (float& value : largest) value = -value;
  const auto low = constant(weights->output_shape(), largest);
  const auto levels = std::make_shared<ov::op::v0::FakeQuantize>(
      constant(weights->shape, weights->values), low, high, low, high, kWeightLevels);
  convolution.input(1).replace_source_output(levels);
}

void quantize_tensor(const ov::Output<ov::Node>& value, const TensorRange& range,
                     Products products) {
  const Use use = use_of(value);
  const Placement placement = place(use, range);
  const std::shared_ptr<ov::Node> levels = levels_of(value, placement);
  for (ov::Input<ov::Node> reader : use.additions) reader.replace_source_output(levels);
  for (ov::Input<ov::Node> reader : use.convolutions) {
    reader.replace_source_output(levels);
    quantize_weights(*reader.get_node(), placement.factors, products);
  }
}

void quantize_picture(const ov::Output<ov::Node>& picture, Products products) {
  const Use use = use_of(picture);
  const std::shared_ptr<ov::Node> levels = levels_of(picture, {{0, kTop}, {}});
  for (ov::Input<ov::Node> reader : use.convolutions) {
    reader.replace_source_output(levels);
    quantize_weights(*reader.get_node(), {}, products);
  }
}

void check_names(const std::vector<QuantizedTensor>& tensors, const I8Ranges& ranges) {
  std::set<std::string> known;
  for (const QuantizedTensor& tensor : tensors) {
    const TensorRange* const range = ranges.find(tensor.name);
    if (range == nullptr) refuse_i8_ranges(ranges.origin, "tensor " + tensor.name + " is missing");
    const std::size_t channels = tensor.value.get_shape().at(1);
    if (range->channels.size() != channels)
      refuse_i8_ranges(ranges.origin, "tensor " + tensor.name + " has " + std::to_string(channels) +
                                          " channels, not " +
                                          std::to_string(range->channels.size()));
    known.insert(tensor.name);
  }
  for (const TensorRange& range : ranges.tensors)
    if (!known.contains(range.name))
      refuse_i8_ranges(ranges.origin, "tensor " + range.name + " needs no range");
}

}  // namespace

std::vector<QuantizedTensor> quantized_tensors(const std::shared_ptr<ov::Model>& model) {
  // The import represents the weights of depthwise convolutions as a reshaped constant. For these,
  // the plugin (2026.4) silently uses kernels of f32. So constants are folded first.
  ov::pass::Manager passes;
  passes.register_pass<ov::pass::ConstantFolding>();
  passes.run_passes(model);
  std::vector<QuantizedTensor> tensors;
  std::set<std::string> known;
  for (const std::shared_ptr<ov::Node>& node : model->get_ordered_ops()) {
    const std::size_t read = is_addition(*node) ? 2 : is_convolution(*node) ? 1 : 0;
    for (std::size_t i = 0; i < read; ++i) {
      const ov::Output<ov::Node> value = node->input_value(i);
      const std::string name = name_of(value);
      const bool is_picture = ov::is_type<ov::op::v0::Parameter>(value.get_node());
      if (!is_picture && known.insert(name).second) tensors.push_back({name, value});
    }
  }
  return tensors;
}

void quantize(const std::shared_ptr<ov::Model>& model, const I8Ranges& ranges, Products products) {
  const std::vector<QuantizedTensor> tensors = quantized_tensors(model);
  check_names(tensors, ranges);
  quantize_picture(model->input(), products);
  for (const QuantizedTensor& tensor : tensors)
    quantize_tensor(tensor.value, *ranges.find(tensor.name), products);
  model->validate_nodes_and_infer_types();
}

// OpenVINO marks kernels of unsigned bytes by "_I8" and of signed bytes by "_i8". AMX handles both
// kinds.
bool is_i8_kernel(std::string_view kernel) {
  return kernel.ends_with("_I8") || kernel.ends_with("_i8");
}

std::vector<std::string> convolutions_not_in_i8(const ov::CompiledModel& compiled) {
  const auto info_of = [](const ov::Node& node, const char* key) {
    const auto found = node.get_rt_info().find(key);
    return found == node.get_rt_info().end() ? std::string() : found->second.as<std::string>();
  };
  std::vector<std::string> others;
  for (const std::shared_ptr<ov::Node>& node : compiled.get_runtime_model()->get_ops()) {
    const std::string type = info_of(*node, "layerType");
    if (type.find("onvolution") == std::string::npos && type != "Deconvolution") continue;
    const std::string kernel = info_of(*node, "primitiveType");
    if (!is_i8_kernel(kernel)) others.push_back(node->get_friendly_name() + " (" + kernel + ")");
  }
  return others;
}

}  // namespace facepipe::detector
