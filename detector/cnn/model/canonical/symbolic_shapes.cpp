#include "detector/cnn/model/canonical/symbolic_shapes.h"

#include <algorithm>
#include <cmath>

#include "detector/cnn/model/canonical/list_rules.h"

namespace facepipe::detector {
namespace {

constexpr std::size_t kMostRank = 8;
constexpr std::size_t kMapRank = 4;
constexpr std::int64_t kLargestNumber = std::int64_t{1} << 31;

using Extents = std::optional<SizeExtents>;

/// Returns the extent of a window operator's result on one axis. Returns nullopt if this extent is
/// neither constant nor proportional to the picture's side.
std::optional<SizeNumber> windowed(const SizeNumber& extent, std::int64_t pads, std::int64_t kernel,
                                   std::int64_t stride, bool up) {
  const auto divided = [=](std::int64_t value) {
    const auto exact = static_cast<double>(value) / static_cast<double>(stride);
    return static_cast<std::int64_t>(up ? std::ceil(exact) : std::floor(exact));
  };
  if (const auto number = extent.integer())
    return *number + pads < kernel ? std::nullopt
                                   : size_number(divided(*number + pads - kernel) + 1);
  const auto result = quotient(extent, {stride, 1, 0, 0});
  const bool one_a_stride = divided(pads - kernel) + 1 == 0;
  return one_a_stride && result && result->whole() ? result : std::nullopt;
}

Extents windowed(const SizeExtents& map, const graph::Window& window, bool up) {
  const auto height =
      windowed(map[2], window.top + window.bottom, window.kernel_height, window.stride_y, up);
  const auto width =
      windowed(map[3], window.left + window.right, window.kernel_width, window.stride_x, up);
  if (!height || !width) return std::nullopt;
  return SizeExtents{map[0], map[1], *height, *width};
}

bool is_elementwise(const std::string& type) {
  static constexpr const char* kTypes[] = {"Relu", "Sigmoid",  "LeakyRelu",   "PRelu",
                                           "Clip", "Tanh",     "HardSigmoid", "HardSwish",
                                           "Elu",  "Mish",     "Softplus",    "Exp",
                                           "Sqrt", "Identity", "Softmax",     "BatchNormalization"};
  return std::ranges::find(kTypes, type) != std::end(kTypes);
}

}  // namespace

std::optional<SizeExtents> pooled_extents(const graph::OnnxNode& node, const SizeExtents& map,
                                          bool up) {
  return windowed(map, node.window(std::nullopt), up);
}

std::optional<SizeList> size_list(const onnx::TensorProto& tensor) {
  const bool is_list =
      tensor.dims_size() == 1 && static_cast<std::size_t>(tensor.dims(0)) <= kLongestList;
  if (!is_list && tensor.dims_size() != 0) return std::nullopt;
  const std::int64_t count = is_list ? tensor.dims(0) : 1;
  std::vector<std::optional<SizeNumber>> numbers;
  if (tensor.data_type() == onnx::TensorProto::INT64) {
    for (const auto value : graph::values_of<std::int64_t>(tensor, count))
      numbers.push_back(size_number(std::clamp(value, -kLargestNumber, kLargestNumber)));
  } else if (tensor.data_type() == onnx::TensorProto::FLOAT) {
    for (const auto value : graph::values_of<float>(tensor, count))
      numbers.push_back(fractional_size_number(static_cast<double>(value)));
  }
  if (numbers.size() != static_cast<std::size_t>(count)) return std::nullopt;
  SizeList list{{}, !is_list, tensor.data_type() == onnx::TensorProto::FLOAT};
  for (const auto& number : numbers) {
    if (!number) return std::nullopt;
    list.values.push_back(*number);
  }
  return list;
}

/// Computes the known extents and lists of one node's outputs.
class ShapeRules {
 public:
  ShapeRules(SymbolicShapes& shapes, const graph::OnnxNode& node)
      : shapes_(shapes), node_(node), inputs_(lists_of(shapes, node.proto())) {}

  void run() {
    const std::string& type = node_.proto().op_type();
    if (node_.proto().output_size() == 0) return;
    if (type == "Split") return split();
    if (type == "Shape") return shape();
    if (auto list = computed_list(node_, inputs_)) {
      shapes_.lists_.insert_or_assign(node_.proto().output(0), std::move(*list));
      return;
    }
    Extents extents = of(type);
    if (!extents || extents->size() > kMostRank) return;
    shapes_.extents_.insert_or_assign(node_.proto().output(0), std::move(*extents));
  }

 private:
  [[nodiscard]] const SizeExtents* in(int index) const {
    return node_.has_input(index) ? shapes_.extents(node_.proto().input(index)) : nullptr;
  }
  /// Returns the extents of an input that is a map, or null.
  [[nodiscard]] const SizeExtents* map(int index) const {
    const SizeExtents* const extents = in(index);
    return extents != nullptr && extents->size() == kMapRank ? extents : nullptr;
  }
  [[nodiscard]] const SizeList* list(std::size_t index) const {
    return index < inputs_.size() ? inputs_[index] : nullptr;
  }

  [[nodiscard]] Extents of(const std::string& type) const {
    if (is_elementwise(type)) return in(0) != nullptr ? Extents(*in(0)) : std::nullopt;
    if (type == "Add" || type == "Sub" || type == "Mul" || type == "Div") return broadcast();
    if (type == "Conv") return convolution();
    if (type == "ConvTranspose") return transposed_convolution();
    if (type == "MaxPool" || type == "AveragePool") return pooling();
    if (type == "Concat") return concatenated();
    if (type == "MatMul") return multiplied();
    if (type == "Slice") return sliced();
    if (type == "Transpose") return transposed();
    if (type == "Reshape") return reshaped_input();
    if (type == "Resize") return resized();
    return std::nullopt;
  }

  [[nodiscard]] Extents broadcast() const {
    if (in(0) == nullptr || in(1) == nullptr) return std::nullopt;
    const bool swap = in(0)->size() < in(1)->size();
    SizeExtents result = *in(swap ? 1 : 0);
    const SizeExtents& other = *in(swap ? 0 : 1);
    const std::size_t skipped = result.size() - other.size();
    for (std::size_t i = 0; i < other.size(); ++i) {
      SizeNumber& extent = result[i + skipped];
      if (extent == other[i] || other[i].integer() == 1) continue;
      if (extent.integer() != 1) return std::nullopt;
      extent = other[i];
    }
    return result;
  }

  [[nodiscard]] Extents convolution() const {
    if (map(0) == nullptr || map(1) == nullptr) return std::nullopt;
    const std::vector<std::int64_t> kernel = node_.extents(1);
    Extents result = windowed(*map(0), node_.window(std::vector{kernel[2], kernel[3]}), false);
    if (result) (*result)[1] = (*map(1))[0];
    return result;
  }

  [[nodiscard]] Extents transposed_convolution() const {
    if (map(0) == nullptr || map(1) == nullptr) return std::nullopt;
    const std::vector<std::int64_t> kernel = node_.extents(1);
    const graph::Window window = node_.window(std::vector{kernel[2], kernel[3]});
    const bool spreads = window.kernel_height == window.stride_y &&
                         window.kernel_width == window.stride_x &&
                         window.top + window.bottom + window.left + window.right == 0;
    const auto height = product((*map(0))[2], {window.stride_y, 1, 0, 0});
    const auto width = product((*map(0))[3], {window.stride_x, 1, 0, 0});
    if (!spreads || !height || !width) return std::nullopt;
    return SizeExtents{(*map(0))[0], (*map(1))[1], *height, *width};
  }

  [[nodiscard]] Extents pooling() const {
    return map(0) != nullptr ? pooled_extents(node_, *map(0), node_.integer("ceil_mode", 0) != 0)
                             : std::nullopt;
  }

  /// Returns the axis that an attribute names, if the first input has this axis.
  [[nodiscard]] std::optional<std::size_t> axis() const {
    if (in(0) == nullptr) return std::nullopt;
    const auto rank = static_cast<std::int64_t>(in(0)->size());
    const std::int64_t axis = node_.integer("axis", 0);
    if (axis < -rank || axis >= rank) return std::nullopt;
    return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  }

  [[nodiscard]] Extents concatenated() const {
    const auto along = axis();
    if (!along) return std::nullopt;
    SizeExtents result = *in(0);
    for (int i = 1; i < node_.proto().input_size(); ++i) {
      if (in(i) == nullptr || in(i)->size() != result.size()) return std::nullopt;
      const auto total = sum(result[*along], (*in(i))[*along]);
      if (!total) return std::nullopt;
      result[*along] = *total;
    }
    return result;
  }

  /// Returns the extents of a product of matrices, which are the last two axes of both inputs.
  [[nodiscard]] Extents multiplied() const {
    if (in(0) == nullptr || in(1) == nullptr || in(0)->size() != in(1)->size() || in(0)->size() < 2)
      return std::nullopt;
    SizeExtents result = *in(0);
    result.back() = in(1)->back();
    return result;
  }

  [[nodiscard]] Extents sliced() const {
    if (in(0) == nullptr) return std::nullopt;
    SizeExtents result = *in(0);
    const auto ranges = slice_ranges(node_, inputs_, result.size());
    if (!ranges) return std::nullopt;
    for (const SliceRange& range : *ranges) {
      SizeNumber& extent = result[static_cast<std::size_t>(range.axis)];
      const auto count = extent.integer();
      const bool all = range.begin == 0 && range.end >= kLargestNumber && range.step == 1;
      if (all) continue;
      if (!count || range.step != 1) return std::nullopt;
      const auto [begin, end] = range.within(*count);
      if (end <= begin) return std::nullopt;
      extent = {end - begin, 1, 0, 0};
    }
    return result;
  }

  [[nodiscard]] Extents transposed() const {
    const std::vector<std::int64_t> order = node_.integers("perm", {});
    if (in(0) == nullptr || order.size() != in(0)->size()) return std::nullopt;
    SizeExtents result;
    for (const std::int64_t axis : order) {
      if (axis < 0 || axis >= static_cast<std::int64_t>(order.size())) return std::nullopt;
      result.push_back((*in(0))[static_cast<std::size_t>(axis)]);
    }
    return result;
  }

  [[nodiscard]] Extents reshaped_input() const {
    const SizeList* const target = list(1);
    if (in(0) == nullptr || target == nullptr || target->scalar ||
        target->values.size() > kMostRank || node_.integer("allowzero", 0) != 0)
      return std::nullopt;
    return reshaped(*in(0), target->values, shapes_.exported());
  }

  [[nodiscard]] Extents resized() const {
    if (in(0) == nullptr) return std::nullopt;
    constexpr std::size_t kSizes = 3;
    const std::size_t scales_input = node_.proto().input_size() == 2 ? 1 : 2;
    SizeExtents result = *in(0);
    const bool by_sizes = node_.has_input(kSizes);
    const SizeList* const numbers = list(by_sizes ? kSizes : scales_input);
    if (numbers == nullptr || numbers->values.size() != result.size()) return std::nullopt;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const auto factor =
          by_sizes ? factor_to(result[i], numbers->values[i]) : std::optional(numbers->values[i]);
      const auto extent = factor ? product(result[i], *factor) : std::nullopt;
      if (!extent || !extent->whole()) return std::nullopt;
      result[i] = *extent;
    }
    return result;
  }

  /// Returns `to` / `from`. `to` may be a number that is valid only for the picture with which the
  /// file was exported. Then the function first computes `from` for this picture.
  [[nodiscard]] std::optional<SizeNumber> factor_to(const SizeNumber& from,
                                                    const SizeNumber& to) const {
    const bool baked = shapes_.exported() && to.integer() && !from.constant();
    if (!baked) return quotient(to, from);
    const auto number = from.at(*shapes_.exported());
    return number ? quotient(to, {*number, 1, 0, 0}) : std::nullopt;
  }

  void shape() {
    if (in(0) == nullptr || node_.integer("start", 0) != 0 ||
        node_.integer("end", kLargestNumber) < static_cast<std::int64_t>(in(0)->size()))
      return;
    shapes_.lists_.insert_or_assign(node_.proto().output(0), SizeList{*in(0), false, false});
  }

  void split() {
    const auto along = axis();
    const int outputs = node_.proto().output_size();
    if (!along) return;
    std::vector<SizeNumber> parts;
    if (list(1) != nullptr) {
      parts = list(1)->values;
    } else if (node_.has_input(1)) {
      return;
    } else {
      for (const std::int64_t part : node_.integers("split", {}))
        if (const auto number = size_number(part)) parts.push_back(*number);
      const auto equal = quotient((*in(0))[*along], {outputs, 1, 0, 0});
      if (parts.empty() && equal && equal->whole())
        parts.assign(static_cast<std::size_t>(outputs), *equal);
    }
    if (parts.size() != static_cast<std::size_t>(outputs)) return;
    for (int i = 0; i < outputs; ++i) {
      SizeExtents extents = *in(0);
      extents[*along] = parts[static_cast<std::size_t>(i)];
      shapes_.extents_.insert_or_assign(node_.proto().output(i), std::move(extents));
    }
  }

  SymbolicShapes& shapes_;
  const graph::OnnxNode& node_;
  std::vector<const SizeList*> inputs_;
};

std::vector<const SizeList*> lists_of(const SymbolicShapes& shapes, const onnx::NodeProto& node) {
  std::vector<const SizeList*> lists;
  for (const std::string& input : node.input()) lists.push_back(shapes.list(input));
  return lists;
}

SymbolicShapes::SymbolicShapes(const Rewriting& of) {
  graph::Constants weights;
  for (const onnx::TensorProto& tensor : of.graph().initializer()) weights[tensor.name()] = &tensor;
  add_weights(of.graph());
  add_picture(of.graph());
  for (const onnx::NodeProto& node : of.graph().node())
    ShapeRules(*this, graph::OnnxNode(node, weights, of.source())).run();
}

void SymbolicShapes::add_weights(const onnx::GraphProto& graph) {
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    SizeExtents extents;
    for (const std::int64_t extent : tensor.dims())
      if (const auto number = size_number(extent)) extents.push_back(*number);
    if (extents.size() == static_cast<std::size_t>(tensor.dims_size()))
      extents_.emplace(tensor.name(), std::move(extents));
    if (auto list = size_list(tensor)) lists_.emplace(tensor.name(), std::move(*list));
  }
}

void SymbolicShapes::add_picture(const onnx::GraphProto& graph) {
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (extents_.contains(input.name())) continue;  // weights
    const auto& shape = input.type().tensor_type().shape();
    if (shape.dim_size() != static_cast<int>(kMapRank) || shape.dim(1).dim_value() != 3) continue;
    extents_.emplace(input.name(),
                     SizeExtents{{1, 1, 0, 0}, {3, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 0, 1}});
    const std::int64_t height = shape.dim(2).dim_value();
    const std::int64_t width = shape.dim(3).dim_value();
    const auto sane = [](std::int64_t side) { return side > 0 && side <= kLargestNumber / 2; };
    if (sane(height) && sane(width))
      exported_ = Size{static_cast<int>(width), static_cast<int>(height)};
  }
}

const SizeExtents* SymbolicShapes::extents(const std::string& name) const {
  const auto found = extents_.find(name);
  return found == extents_.end() ? nullptr : &found->second;
}

const SizeList* SymbolicShapes::list(const std::string& name) const {
  const auto found = lists_.find(name);
  return found == lists_.end() ? nullptr : &found->second;
}

std::int64_t SymbolicShapes::channels(const std::string& name) const {
  const SizeExtents* const found = extents(name);
  return found != nullptr && found->size() == kMapRank ? (*found)[1].integer().value_or(0) : 0;
}

}  // namespace facepipe::detector
