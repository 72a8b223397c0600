#include "detector/cnn/model/graph/row_operator.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>

namespace facepipe::detector::graph {
namespace {

using Extents = std::vector<std::int64_t>;
using Ranges = std::vector<IntegerRange>;

// Libraries may compute integers with 32 bits.
constexpr std::int64_t kLargestInteger = INT32_MAX;
constexpr std::int64_t kLargestExtent = std::int64_t{1} << 31;
constexpr std::size_t kMostAxes = 8;

class RowTypes {
 public:
  RowTypes(const RowOperator& op, std::span<const RowType> inputs, std::size_t outputs,
           const std::function<void(const std::string&)>& fail)
      : op_(op), inputs_(inputs), outputs_(outputs), fail_(fail) {}

  std::vector<RowType> run() const {
    std::vector<RowType> types = computed();
    if (types.size() != outputs_) fail("has a wrong number of outputs");
    for (const RowType& type : types) check(type);
    return types;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    fail_(reason);
    std::abort();  // fail_() throws
  }

  std::vector<RowType> computed() const {
    const std::string& type = op_.type;
    if (type == "Split") return split();
    if (type == "TopK") return largest();
    if (type == "Concat") return {concatenated()};
    if (type == "MatMul") return {multiplied()};
    if (type == "Softmax") return {softmax()};
    if (type == "Exp" || type == "Sqrt" || type == "Floor") return {of_floats(inputs_[0].extents)};
    if (type == "Cast") return {cast()};
    if (type == "Slice") return {sliced()};
    if (type == "Unsqueeze" || type == "Squeeze") return {with_other_axes(type == "Unsqueeze")};
    if (type == "Flatten") return {flattened()};
    if (type == "Expand" || type == "Tile") return {repeated(type == "Tile")};
    if (type == "ReduceMax") return {of_floats(reduced(op_.numbers))};
    if (type == "ArgMax") return {{reduced({op_.axis}), {indices_of(axis())}}};
    if (type == "Gather") return {gathered()};
    if (type == "GatherElements") return {gathered_elements()};
    if (type == "GatherND") return {gathered_places()};
    return {combined()};
  }

  /// Refuses results that a library can't hold.
  void check(const RowType& type) const {
    if (type.extents.size() > kMostAxes) fail("has a result with too many axes");
    for (const std::int64_t extent : type.extents)
      if (extent < 1 || extent > kLargestExtent) fail("has an impossible result");
    for (const IntegerRange& range : type.integers)
      if (range.low < -kLargestInteger || range.high > kLargestInteger)
        fail("may compute integers that are too large");
  }

  [[nodiscard]] RowType of_floats(Extents extents) const {
    if (!inputs_[0].floats()) fail("can't compute integers");
    return {std::move(extents), {}};
  }

  /// Returns the number of an axis that a file names.
  [[nodiscard]] std::size_t axis_of(std::int64_t axis, std::size_t rank) const {
    const auto count = static_cast<std::int64_t>(rank);
    if (axis < -count || axis >= count) fail("has an axis that its input lacks");
    return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
  }
  [[nodiscard]] std::size_t axis() const { return axis_of(op_.axis, inputs_[0].extents.size()); }
  [[nodiscard]] bool is_last(std::size_t axis) const {
    return axis + 1 == inputs_[0].extents.size();
  }

  [[nodiscard]] RowType softmax() const {
    (void)axis();  // checks that the input has this axis
    return of_floats(inputs_[0].extents);
  }

  [[nodiscard]] IntegerRange indices_of(std::size_t axis) const {
    return {0, inputs_[0].extents[axis] - 1};
  }

  /// Returns one range for all integers, or nothing for floats.
  [[nodiscard]] static Ranges one_range(const RowType& type) {
    return type.floats() ? Ranges{} : Ranges{joined(type.integers)};
  }

  /// Returns the ranges of the indices `first`, `first` + `step` and so on of the last axis.
  [[nodiscard]] static Ranges some_ranges(const RowType& type, std::int64_t first,
                                          std::int64_t count, std::int64_t step) {
    if (type.integers.size() <= 1) return type.integers;
    Ranges ranges;
    for (std::int64_t i = 0; i < count; ++i)
      ranges.push_back(type.integers[static_cast<std::size_t>(first + i * step)]);
    return ranges;
  }

  std::vector<RowType> split() const {
    const std::size_t along = axis();
    std::vector<RowType> parts;
    std::int64_t first = 0;
    for (const std::int64_t size : op_.numbers) {
      if (size < 1 || size > inputs_[0].extents[along] - first) fail("has parts that don't fit");
      Extents extents = inputs_[0].extents;
      extents[along] = size;
      parts.push_back({std::move(extents), is_last(along) ? some_ranges(inputs_[0], first, size, 1)
                                                          : inputs_[0].integers});
      first += size;
    }
    if (first != inputs_[0].extents[along]) fail("has parts that don't fit");
    return parts;
  }

  std::vector<RowType> largest() const {
    const std::size_t along = axis();
    const std::int64_t count = op_.numbers.at(0);
    if (count < 1 || count > inputs_[0].extents[along])
      fail("takes " + std::to_string(count) + " of " + std::to_string(inputs_[0].extents[along]) +
           " values");
    RowType values = of_floats(inputs_[0].extents);
    values.extents[along] = count;
    return {values, {values.extents, {indices_of(along)}}};
  }

  [[nodiscard]] RowType concatenated() const {
    const std::size_t along = axis();
    RowType result = inputs_[0];
    bool one = result.integers.size() == 1 && result.extents[along] > 1;
    for (std::size_t i = 1; i < inputs_.size(); ++i) {
      const RowType& part = inputs_[i];
      Extents expected = result.extents;
      if (part.extents.size() == expected.size()) expected[along] = part.extents[along];
      if (part.extents != expected || part.floats() != result.floats())
        fail("joins values that don't fit");
      result.extents[along] += part.extents[along];
      one = one || static_cast<std::int64_t>(part.integers.size()) != part.extents[along];
      result.integers.insert(result.integers.end(), part.integers.begin(), part.integers.end());
    }
    // Each index of the last axis keeps its range if the ranges of all parts are known.
    if (!is_last(along) || one) result.integers = one_range(result);
    return result;
  }

  [[nodiscard]] RowType multiplied() const {
    const Extents& a = inputs_[0].extents;
    const Extents& b = inputs_[1].extents;
    if (!inputs_[1].floats()) fail("can't compute integers");
    const bool fits = a.size() == b.size() && a.size() >= 2 &&
                      std::equal(a.begin(), a.end() - 2, b.begin()) && a.back() == b[b.size() - 2];
    if (!fits) fail("multiplies matrices that don't fit");
    Extents result = a;
    result.back() = b.back();
    return of_floats(std::move(result));
  }

  [[nodiscard]] RowType cast() const {
    if (op_.to_floats) return {inputs_[0].extents, {}};
    if (!inputs_[0].floats()) return inputs_[0];
    return {inputs_[0].extents, {{-kLargestInteger, kLargestInteger}}};
  }

  [[nodiscard]] RowType sliced() const {
    RowType result = inputs_[0];
    for (const AxisSlice& slice : op_.slices) {
      const std::size_t along = axis_of(slice.axis, result.extents.size());
      const std::int64_t count = result.extents[along];
      const auto place = [count](std::int64_t index) {
        return std::clamp<std::int64_t>(index < -count ? 0
                                        : index < 0    ? index + count
                                                       : index,
                                        0, count);
      };
      const std::int64_t first = place(slice.begin);
      const std::int64_t end = place(slice.end);
      if (slice.step < 1 || end <= first) fail("takes nothing, or in another order");
      result.extents[along] = (end - first - 1) / slice.step + 1;
      if (is_last(along))
        result.integers = some_ranges(result, first, result.extents[along], slice.step);
    }
    return result;
  }

  [[nodiscard]] RowType with_other_axes(bool more) const {
    const std::size_t rank = inputs_[0].extents.size();
    std::vector<bool> named(more ? rank + op_.numbers.size() : rank, false);
    for (const std::int64_t axis : op_.numbers) named[axis_of(axis, named.size())] = true;
    if (static_cast<std::size_t>(std::ranges::count(named, true)) != op_.numbers.size())
      fail("names an axis twice");
    Extents result;
    std::size_t from = 0;
    for (const bool is_named : named) {
      if (more && is_named) {
        result.push_back(1);
        continue;
      }
      const std::int64_t extent = inputs_[0].extents[from++];
      if (!is_named) result.push_back(extent);
      if (is_named && extent != 1) fail("removes an axis that isn't 1");
    }
    return {std::move(result), one_range(inputs_[0])};
  }

  [[nodiscard]] RowType flattened() const {
    const Extents& from = inputs_[0].extents;
    const auto rank = static_cast<std::int64_t>(from.size());
    if (op_.axis < -rank || op_.axis > rank) fail("has an axis that its input lacks");
    const auto middle = from.begin() + (op_.axis < 0 ? op_.axis + rank : op_.axis);
    const auto product = [](auto begin, auto end) {
      return std::accumulate(begin, end, std::int64_t{1}, std::multiplies<>());
    };
    return {{product(from.begin(), middle), product(middle, from.end())}, one_range(inputs_[0])};
  }

  /// Computes Tile, or Expand, which repeats only axes whose extent is 1.
  [[nodiscard]] RowType repeated(bool tiles) const {
    for (const std::int64_t number : op_.numbers)
      if (number < 1 || number > kLargestExtent) fail("has an impossible result");
    if (!tiles) return {broadcast(inputs_[0].extents, op_.numbers), one_range(inputs_[0])};
    if (op_.numbers.size() != inputs_[0].extents.size()) fail("needs a number for each axis");
    Extents result = inputs_[0].extents;
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (op_.numbers[i] > kLargestExtent / result[i]) fail("has an impossible result");
      result[i] *= op_.numbers[i];
    }
    return {std::move(result), one_range(inputs_[0])};
  }

  [[nodiscard]] Extents reduced(const std::vector<std::int64_t>& axes) const {
    Extents result = inputs_[0].extents;
    if (!inputs_[0].floats()) fail("can't compute integers");
    for (const std::int64_t axis : axes) result[axis_of(axis, result.size())] = -1;
    if (op_.keeps)
      std::ranges::replace(result, std::int64_t{-1}, std::int64_t{1});
    else
      std::erase(result, -1);
    return result;
  }

  void expect_indices(const IntegerRange& range, std::int64_t extent) const {
    if (range.low < 0 || range.high >= extent)
      fail("has indices from " + std::to_string(range.low) + " to " + std::to_string(range.high) +
           ", but only " + std::to_string(extent) + " values");
  }
  [[nodiscard]] const RowType& indices() const {
    if (inputs_[1].floats()) fail("has indices that are no integers");
    return inputs_[1];
  }

  [[nodiscard]] RowType gathered() const {
    const std::size_t along = axis();
    const std::int64_t count = inputs_[0].extents[along];
    Ranges places = indices().integers;
    for (IntegerRange& place : places) {
      // A constant index may count from the end.
      if (place.low == place.high && place.low < 0) place = {place.low + count, place.low + count};
      expect_indices(place, count);
    }
    Extents result = inputs_[0].extents;
    const auto at = result.erase(result.begin() + static_cast<std::ptrdiff_t>(along));
    result.insert(at, indices().extents.begin(), indices().extents.end());
    const bool constant =
        indices().extents.size() <= 1 && std::ranges::all_of(places, [](const IntegerRange& place) {
          return place.low == place.high;
        });
    if (!is_last(along) || !constant || inputs_[0].integers.size() <= 1)
      return {std::move(result), one_range(inputs_[0])};
    Ranges ranges;
    for (const IntegerRange& place : places)
      ranges.push_back(inputs_[0].integers[static_cast<std::size_t>(place.low)]);
    return {std::move(result), std::move(ranges)};
  }

  [[nodiscard]] RowType gathered_elements() const {
    const std::size_t along = axis();
    expect_indices(joined(indices().integers), inputs_[0].extents[along]);
    const Extents& result = indices().extents;
    if (result.size() != inputs_[0].extents.size()) fail("has indices with other axes");
    for (std::size_t i = 0; i < result.size(); ++i)
      if (i != along && result[i] > inputs_[0].extents[i]) fail("has more indices than values");
    return {result, one_range(inputs_[0])};
  }

  /// Computes GatherND, in which the last axis of the indices names a place on the first axes.
  [[nodiscard]] RowType gathered_places() const {
    const Extents& from = inputs_[0].extents;
    const Extents& of = indices().extents;
    if (of.empty() || of.back() > static_cast<std::int64_t>(from.size()))
      fail("has indices with too many axes");
    const auto axes = static_cast<std::size_t>(of.back());
    const bool each = indices().integers.size() == axes;
    for (std::size_t i = 0; i < axes; ++i)
      expect_indices(each ? indices().integers[i] : joined(indices().integers), from[i]);
    Extents result(of.begin(), of.end() - 1);
    result.insert(result.end(), from.begin() + static_cast<std::ptrdiff_t>(axes), from.end());
    return {std::move(result), one_range(inputs_[0])};
  }

  [[nodiscard]] Extents broadcast(Extents a, Extents b) const {
    if (a.size() < b.size()) std::swap(a, b);
    const std::size_t skipped = a.size() - b.size();
    for (std::size_t i = 0; i < b.size(); ++i) {
      std::int64_t& extent = a[i + skipped];
      if (extent == 1) extent = b[i];
      if (extent != b[i] && b[i] != 1) fail("has inputs that don't fit");
    }
    return a;
  }

  /// Computes Add, Sub, Mul, Div or Mod, number by number.
  [[nodiscard]] RowType combined() const {
    const RowType& a = inputs_[0];
    const RowType& b = inputs_[1];
    if (a.floats() != b.floats()) fail("has integers and floats");
    RowType result{broadcast(a.extents, b.extents), {}};
    if (a.floats()) {
      if (op_.type == "Mod") fail("can't compute floats");
      return result;
    }
    result.integers = {combined(joined(a.integers), joined(b.integers))};
    return result;
  }

  /// Both ranges are within 32 bits, so no result is beyond 64 bits.
  [[nodiscard]] IntegerRange combined(const IntegerRange& a, const IntegerRange& b) const {
    if (op_.type == "Add") return {a.low + b.low, a.high + b.high};
    if (op_.type == "Sub") return {a.low - b.high, a.high - b.low};
    if (op_.type == "Mul") {
      const auto [low, high] =
          std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
      return {low, high};
    }
    // Libraries round negative quotients in different ways.
    if (a.low < 0 || b.low < 1) fail("may divide numbers that aren't positive");
    if (op_.type == "Mod") return {0, std::min(a.high, b.high - 1)};
    return {a.low / b.high, a.high / b.low};
  }

  const RowOperator& op_;
  std::span<const RowType> inputs_;
  std::size_t outputs_;
  const std::function<void(const std::string&)>& fail_;
};

}  // namespace

IntegerRange joined(std::span<const IntegerRange> ranges) {
  IntegerRange result = ranges.front();
  for (const IntegerRange& range : ranges)
    result = {std::min(result.low, range.low), std::max(result.high, range.high)};
  return result;
}

std::vector<RowType> row_types(const RowOperator& op, std::span<const RowType> inputs,
                               std::size_t outputs,
                               const std::function<void(const std::string&)>& fail) {
  return RowTypes(op, inputs, outputs, fail).run();
}

}  // namespace facepipe::detector::graph
