#include "detector/cnn/model/canonical/regroup.h"

#include <algorithm>
#include <span>

namespace facepipe::detector {
namespace {

using Numbers = std::vector<std::int64_t>;

/// Multiplies `product` by a positive number. Returns false if the result is larger than the size
/// of any tensor.
bool multiply(std::int64_t& product, std::int64_t by) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (by > kMost / product) return false;
  product *= by;
  return true;
}

std::optional<SizeNumber> product_of(std::span<const SizeNumber> extents) {
  std::optional<SizeNumber> result = size_number(1);
  for (const SizeNumber& extent : extents) {
    if (!result) return std::nullopt;
    result = product(*result, extent);
  }
  return result;
}

bool is_extent(const SizeNumber& number) { return number.whole() && number.times > 0; }

/// Replaces 0 and -1 in a target by the extents that 0 and -1 mean.
std::optional<SizeExtents> without_wildcards(const SizeExtents& from, const SizeExtents& target,
                                             const std::optional<SizeNumber>& rest) {
  SizeExtents result = target;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (target[i].integer() == 0) {
      if (i >= from.size()) return std::nullopt;
      result[i] = from[i];
    } else if (target[i].integer() == -1) {
      if (!rest) return std::nullopt;
      result[i] = *rest;
    }
  }
  return result;
}

/// Returns all numbers for a picture of this size, or nullopt if one of them isn't positive.
std::optional<Numbers> numbers_at(const SizeExtents& extents, Size network) {
  Numbers result;
  for (const SizeNumber& extent : extents) {
    const std::optional<std::int64_t> number = extent.at(network);
    if (!number || *number < 1) return std::nullopt;
    result.push_back(*number);
  }
  return result;
}

/// Counts how many extents at the end of `to` have a product that divides the product of the
/// constant extents at the end of `from`.
std::size_t constants_at_end(std::span<const SizeNumber> from, std::span<const std::int64_t> to) {
  std::int64_t product = 1;  // product of the constant extents at the end of `from`
  for (auto extent = from.rbegin(); extent != from.rend() && extent->integer(); ++extent)
    if (!multiply(product, *extent->integer())) return 0;
  std::size_t taken = 0;
  while (taken < to.size() && product % to[to.size() - 1 - taken] == 0)
    product /= to[to.size() - 1 - taken++];
  return taken;
}

/// Returns the extents of a group that is the rows and columns of a map. `to` has two numbers,
/// which are the sides of the exported picture, both divided by the map's stride.
std::optional<SizeExtents> rows_and_columns(const SizeNumber& all, const Numbers& to,
                                            Size exported) {
  if (to.size() != 2 || exported.height % to[0] != 0) return std::nullopt;
  const std::int64_t stride = exported.height / to[0];
  const SizeExtents sides{{1, stride, 1, 0}, {1, stride, 0, 1}};
  const bool fits = to[1] * stride == exported.width && product_of(std::span(sides)) == all &&
                    std::ranges::all_of(sides, is_extent);
  return fits ? std::optional(sides) : std::nullopt;
}

/// Finds the extents of one of the groups that regrouped() makes. For the exported picture, `to`
/// has the same number of values as `from`, and no shorter groups have equal numbers of values.
std::optional<SizeExtents> group_of(std::span<const SizeNumber> from, Numbers to, Size exported) {
  const std::optional<SizeNumber> all = product_of(from);
  SizeExtents result;
  for (const std::int64_t number : to) {
    const std::optional<SizeNumber> extent = size_number(number);
    if (!extent) return std::nullopt;
    result.push_back(*extent);
  }
  if (!all) return std::nullopt;
  if (all->constant()) return result;
  if (auto sides = rows_and_columns(*all, to, exported)) return sides;
  // All numbers are constant except one, which depends on the picture. Constant extents of `from`
  // at an end of the group stay at that end.
  const std::size_t behind = constants_at_end(from, to);
  std::vector<SizeNumber> from_back(from.rbegin(), from.rend());
  std::reverse(to.begin(), to.end());
  const std::size_t before = constants_at_end(from_back, to);
  if (before + behind + 1 != to.size()) return std::nullopt;
  std::optional<SizeNumber> left = all;
  for (std::size_t i = 0; i < result.size() && left; ++i)
    if (i != before) left = quotient(*left, result[i]);
  if (!left || !left->whole()) return std::nullopt;
  result[before] = *left;
  return result;
}

/// Finds out which numbers of `to` depend on the exported picture's size. Both lists are divided
/// into the shortest groups with equal products, because Reshape keeps the order of values.
std::optional<SizeExtents> regrouped(const SizeExtents& from, const Numbers& from_numbers,
                                     const Numbers& to, Size exported) {
  SizeExtents result;
  std::size_t f = 0;
  std::size_t t = 0;
  while (f < from.size() || t < to.size()) {
    const std::size_t first_from = f;
    const std::size_t first_to = t;
    std::int64_t of_from = f < from.size() ? from_numbers[f++] : 1;
    std::int64_t of_to = t < to.size() ? to[t++] : 1;
    while (of_from != of_to) {
      const bool more_to = of_to < of_from;
      if (more_to ? t == to.size() : f == from.size()) return std::nullopt;
      const bool fits = more_to ? multiply(of_to, to[t++]) : multiply(of_from, from_numbers[f++]);
      if (!fits) return std::nullopt;
    }
    const auto group = group_of(std::span(from).subspan(first_from, f - first_from),
                                {to.begin() + static_cast<std::ptrdiff_t>(first_to),
                                 to.begin() + static_cast<std::ptrdiff_t>(t)},
                                exported);
    if (!group) return std::nullopt;
    result.insert(result.end(), group->begin(), group->end());
  }
  return result;
}

std::optional<SizeNumber> rest_of(const SizeExtents& from, const SizeExtents& target) {
  const auto all = product_of(from);
  SizeExtents others;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (target[i].integer() == -1) continue;
    if (target[i].integer() != 0)
      others.push_back(target[i]);
    else if (i < from.size())
      others.push_back(from[i]);
  }
  const auto known = product_of(others);
  return all && known ? quotient(*all, *known) : std::nullopt;
}

std::optional<std::int64_t> rest_at(const Numbers& from, const SizeExtents& target, Size exported) {
  std::int64_t left = 1;
  for (const std::int64_t number : from)
    if (!multiply(left, number)) return std::nullopt;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (target[i].integer() == -1) continue;
    const auto number = target[i].integer() == 0 && i < from.size() ? std::optional(from[i])
                                                                    : target[i].at(exported);
    if (!number || *number < 1 || left % *number != 0) return std::nullopt;
    left /= *number;
  }
  return left;
}

}  // namespace

std::optional<SizeNumber> product_of(const SizeExtents& extents) {
  return product_of(std::span(extents));
}

std::optional<SizeExtents> reshaped(const SizeExtents& from, const SizeExtents& target,
                                    const std::optional<Size>& exported) {
  const auto open = std::ranges::count_if(
      target, [](const SizeNumber& extent) { return extent.integer() == -1; });
  if (open > 1) return std::nullopt;
  if (!exported) {
    auto result = without_wildcards(from, target, rest_of(from, target));
    const bool fits = result && std::ranges::all_of(*result, is_extent) && product_of(from) &&
                      product_of(*result) == product_of(from);
    return fits ? result : std::nullopt;
  }
  const std::optional<Numbers> from_numbers = numbers_at(from, *exported);
  if (!from_numbers) return std::nullopt;
  const auto rest = rest_at(*from_numbers, target, *exported);
  const auto whole = without_wildcards(from, target, rest ? size_number(*rest) : std::nullopt);
  const auto to = whole ? numbers_at(*whole, *exported) : std::nullopt;
  return to ? regrouped(from, *from_numbers, *to, *exported) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> reshape_list(const SizeExtents& from,
                                                      const SizeExtents& to) {
  std::vector<std::int64_t> list;
  int open = 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (const auto number = to[i].integer()) {
      list.push_back(*number);
    } else if (i < from.size() && from[i] == to[i]) {
      list.push_back(0);
    } else {
      list.push_back(-1);
      ++open;
    }
  }
  return open <= 1 ? std::optional(list) : std::nullopt;
}

}  // namespace facepipe::detector
