#include "detector/cnn/model/canonical/list_rules.h"

#include <algorithm>

namespace facepipe::detector {
namespace {

using Inputs = std::vector<const SizeList*>;
using Result = std::optional<SizeList>;

const SizeList* input_of(const Inputs& inputs, std::size_t index) {
  return index < inputs.size() ? inputs[index] : nullptr;
}

/// Reads a list of integers. The list is an input, or an attribute in older operator sets.
std::optional<std::vector<std::int64_t>> integers_of(const graph::OnnxNode& node,
                                                     const char* attribute, const Inputs& inputs,
                                                     std::size_t input) {
  if (!node.has_input(static_cast<int>(input))) {
    std::vector<std::int64_t> values = node.integers(attribute, {});
    return values.empty() || values.size() > kLongestList ? std::nullopt : std::optional(values);
  }
  const SizeList* const list = input_of(inputs, input);
  if (list == nullptr) return std::nullopt;
  std::vector<std::int64_t> values;
  for (const SizeNumber& value : list->values) {
    if (!value.integer()) return std::nullopt;
    values.push_back(*value.integer());
  }
  return values;
}

Result gathered(const graph::OnnxNode& node, const Inputs& inputs) {
  const SizeList* const from = input_of(inputs, 0);
  const SizeList* const indices = input_of(inputs, 1);
  if (from == nullptr || indices == nullptr || node.integer("axis", 0) != 0) return std::nullopt;
  SizeList result{{}, indices->scalar, from->floats};
  const auto count = static_cast<std::int64_t>(from->values.size());
  for (const SizeNumber& index : indices->values) {
    const auto at = index.integer();
    if (!at || *at < -count || *at >= count) return std::nullopt;
    result.values.push_back(from->values[static_cast<std::size_t>(*at < 0 ? *at + count : *at)]);
  }
  return result;
}

/// Makes a list with one element from a number (Unsqueeze), or a number from such a list (Squeeze).
Result relisted(const graph::OnnxNode& node, const Inputs& inputs, bool to_scalar) {
  const SizeList* const from = input_of(inputs, 0);
  const bool fits = from != nullptr && from->scalar != to_scalar && from->values.size() == 1;
  if (!fits) return std::nullopt;
  const auto axes = integers_of(node, "axes", inputs, 1);
  const bool first = axes && axes->size() == 1 && (axes->front() == 0 || axes->front() == -1);
  const bool all = to_scalar && !node.has_input(1) && node.integers("axes", {}).empty();
  return first || all ? Result({from->values, to_scalar, from->floats}) : std::nullopt;
}

Result concatenated(const Inputs& inputs) {
  SizeList result;
  for (const SizeList* const part : inputs) {
    if (part == nullptr || part->scalar) return std::nullopt;
    result.floats = part->floats;
    result.values.insert(result.values.end(), part->values.begin(), part->values.end());
    if (result.values.size() > kLongestList) return std::nullopt;
  }
  return result;
}

Result sliced(const graph::OnnxNode& node, const Inputs& inputs) {
  const SizeList* const from = input_of(inputs, 0);
  if (from == nullptr || from->scalar) return std::nullopt;
  const auto ranges = slice_ranges(node, inputs, 1);
  if (!ranges || ranges->size() != 1 || ranges->front().step != 1) return std::nullopt;
  const auto [begin, end] = ranges->front().within(static_cast<std::int64_t>(from->values.size()));
  SizeList result{{}, false, from->floats};
  for (std::int64_t i = begin; i < end; ++i)
    result.values.push_back(from->values[static_cast<std::size_t>(i)]);
  return result;
}

/// Rounds a number down, or up if `up`. Returns nullopt if the number may have a fraction that
/// depends on the picture.
std::optional<SizeNumber> rounded(const SizeNumber& number, bool up) {
  if (number.whole()) return number;
  if (!number.constant()) return std::nullopt;
  const std::int64_t towards_zero = number.times / number.by;
  const bool above = number.times > 0;
  return size_number(up == above ? towards_zero + (up ? 1 : -1) : towards_zero);
}

std::optional<SizeNumber> computed(const std::string& type, bool floats, const SizeNumber& a,
                                   const SizeNumber& b) {
  if (type == "Add") return sum(a, b);
  if (type == "Sub") return difference(a, b);
  if (type == "Mul") return product(a, b);
  const auto result = quotient(a, b);
  return result && !floats ? rounded(*result, result->times < 0) : result;
}

/// Computes Add, Sub, Mul or Div of two lists, element by element. If a list has only one number,
/// this number is combined with each number of the other list.
Result combined(const graph::OnnxNode& node, const Inputs& inputs) {
  const SizeList* const a = input_of(inputs, 0);
  const SizeList* const b = input_of(inputs, 1);
  if (a == nullptr || b == nullptr || inputs.size() != 2) return std::nullopt;
  const std::size_t count = std::max(a->values.size(), b->values.size());
  const auto spreads = [count](const SizeList& list) {
    return list.values.size() == count || list.values.size() == 1;
  };
  if (!spreads(*a) || !spreads(*b)) return std::nullopt;
  SizeList result{{}, a->scalar && b->scalar, a->floats};
  for (std::size_t i = 0; i < count; ++i) {
    const auto value =
        computed(node.proto().op_type(), a->floats, a->values[a->values.size() == 1 ? 0 : i],
                 b->values[b->values.size() == 1 ? 0 : i]);
    if (!value) return std::nullopt;
    result.values.push_back(*value);
  }
  return result;
}

/// Computes Cast, Floor or Ceil. A Cast to integers drops fractions. This is the same as rounding
/// down, because only sizes above 0 have fractions.
Result converted(const graph::OnnxNode& node, const Inputs& inputs) {
  const SizeList* const from = input_of(inputs, 0);
  if (from == nullptr) return std::nullopt;
  const std::string& type = node.proto().op_type();
  SizeList result{{}, from->scalar, from->floats};
  if (type == "Cast") result.floats = node.integer("to", 0) == onnx::TensorProto::FLOAT;
  for (const SizeNumber& value : from->values) {
    const auto number = type == "Cast" && result.floats ? value : rounded(value, type == "Ceil");
    if (!number) return std::nullopt;
    result.values.push_back(*number);
  }
  return result;
}

}  // namespace

Result computed_list(const graph::OnnxNode& node, const Inputs& inputs) {
  const std::string& type = node.proto().op_type();
  if (type == "Gather") return gathered(node, inputs);
  if (type == "Unsqueeze") return relisted(node, inputs, false);
  if (type == "Squeeze") return relisted(node, inputs, true);
  if (type == "Concat") return concatenated(inputs);
  if (type == "Slice") return sliced(node, inputs);
  if (type == "Cast" || type == "Floor" || type == "Ceil") return converted(node, inputs);
  if (type == "Add" || type == "Sub" || type == "Mul" || type == "Div")
    return combined(node, inputs);
  return std::nullopt;
}

std::pair<std::int64_t, std::int64_t> SliceRange::within(std::int64_t count) const {
  const auto place = [count](std::int64_t index) {
    return std::clamp<std::int64_t>(index < 0 ? index + count : index, 0, count);
  };
  return {place(begin), place(end)};
}

std::optional<std::vector<SliceRange>> slice_ranges(const graph::OnnxNode& node,
                                                    const Inputs& inputs, std::size_t rank) {
  const auto begins = integers_of(node, "starts", inputs, 1);
  const auto ends = integers_of(node, "ends", inputs, 2);
  if (!begins || !ends || begins->size() != ends->size()) return std::nullopt;
  auto axes = integers_of(node, "axes", inputs, 3);
  auto steps = integers_of(node, "steps", inputs, 4);
  if (!axes && (node.has_input(3) || begins->size() > rank)) return std::nullopt;
  if (!steps && node.has_input(4)) return std::nullopt;
  const auto count = static_cast<std::int64_t>(rank);
  std::vector<SliceRange> ranges;
  for (std::size_t i = 0; i < begins->size(); ++i) {
    SliceRange range{static_cast<std::int64_t>(i), (*begins)[i], (*ends)[i], 1};
    if (axes) {
      if (axes->size() != begins->size()) return std::nullopt;
      range.axis = (*axes)[i] < 0 ? (*axes)[i] + count : (*axes)[i];
    }
    if (steps) {
      if (steps->size() != begins->size()) return std::nullopt;
      range.step = (*steps)[i];
    }
    if (range.axis < 0 || range.axis >= count) return std::nullopt;
    ranges.push_back(range);
  }
  return ranges;
}

}  // namespace facepipe::detector
