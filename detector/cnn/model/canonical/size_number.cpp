#include "detector/cnn/model/canonical/size_number.h"

#include <cmath>
#include <cstdlib>
#include <numeric>

namespace facepipe::detector {
namespace {

// Largest value of a SizeNumber's terms. Products of two such terms fit in 64 bits.
constexpr std::int64_t kLargest = std::int64_t{1} << 31;
constexpr int kMostPowers = 2;
constexpr std::int64_t kMultiple = 32;  // sides of a network's input are multiples of this

std::optional<SizeNumber> in_lowest_terms(SizeNumber number) {
  if (number.by == 0) return std::nullopt;
  if (number.times == 0) return SizeNumber{};
  const std::int64_t divisor = std::gcd(number.times, number.by) * (number.by < 0 ? -1 : 1);
  number.times /= divisor;
  number.by /= divisor;
  const bool sane = std::abs(number.times) <= kLargest && number.by <= kLargest &&
                    std::abs(number.heights) <= kMostPowers &&
                    std::abs(number.widths) <= kMostPowers;
  return sane ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> SizeNumber::integer() const {
  return constant() && by == 1 ? std::optional(times) : std::nullopt;
}

bool SizeNumber::whole() const {
  if (heights < 0 || widths < 0) return false;
  std::int64_t left = by;
  for (int power = 0; power < heights + widths; ++power) left /= std::gcd(left, kMultiple);
  return left == 1;
}

std::optional<std::int64_t> SizeNumber::at(Size network) const {
  // Each factor and each power is below 2^53, so the doubles are exact as long as the result is
  // exact.
  const double value = static_cast<double>(times) * std::pow(network.height, heights) *
                       std::pow(network.width, widths) / static_cast<double>(by);
  constexpr double kExact = 1LL << 53;
  if (std::abs(value) >= kExact || value != std::floor(value)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::optional<SizeNumber> size_number(std::int64_t value) {
  if (value > kLargest || value < -kLargest) return std::nullopt;
  return SizeNumber{value, 1, 0, 0};
}

std::optional<SizeNumber> fractional_size_number(double value) {
  constexpr std::int64_t kFinest = 1 << 16;
  const double scaled = value * static_cast<double>(kFinest);
  if (!(std::abs(scaled) <= static_cast<double>(kLargest)) || scaled != std::floor(scaled))
    return std::nullopt;
  return in_lowest_terms({static_cast<std::int64_t>(scaled), kFinest, 0, 0});
}

std::optional<SizeNumber> product(const SizeNumber& a, const SizeNumber& b) {
  return in_lowest_terms(
      {a.times * b.times, a.by * b.by, a.heights + b.heights, a.widths + b.widths});
}

std::optional<SizeNumber> quotient(const SizeNumber& a, const SizeNumber& b) {
  return in_lowest_terms(
      {a.times * b.by, a.by * b.times, a.heights - b.heights, a.widths - b.widths});
}

std::optional<SizeNumber> sum(const SizeNumber& a, const SizeNumber& b) {
  if (a.times == 0) return b;
  if (b.times == 0) return a;
  if (a.heights != b.heights || a.widths != b.widths) return std::nullopt;
  // The common denominator may make the terms too large.
  const std::int64_t common = std::lcm(a.by, b.by);
  if (common > kLargest) return std::nullopt;
  const std::int64_t of_a = common / a.by;
  const std::int64_t of_b = common / b.by;
  constexpr std::int64_t kMost = std::int64_t{1} << 61;
  if (std::abs(a.times) > kMost / of_a || std::abs(b.times) > kMost / of_b) return std::nullopt;
  return in_lowest_terms({a.times * of_a + b.times * of_b, common, a.heights, a.widths});
}

std::optional<SizeNumber> difference(const SizeNumber& a, const SizeNumber& b) {
  return sum(a, {-b.times, b.by, b.heights, b.widths});
}

}  // namespace facepipe::detector
