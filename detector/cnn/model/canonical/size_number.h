// Describes a number of an ONNX file that depends only on the size of the network's input.
//
// Files compute the extents of their values from the picture's size, or contain the numbers for the
// exporter's picture. A SizeNumber is valid for every picture: "a quarter of the height", or "12".
#pragma once

#include <cstdint>
#include <optional>

#include "core/geometry.h"

namespace facepipe::detector {

/// The number is times / by * height^heights * width^widths, in lowest terms; `by` is at least 1.
/// Height and width are the sides of the network's input. Both sides are multiples of 32.
struct SizeNumber {
  std::int64_t times = 0;
  std::int64_t by = 1;
  int heights = 0;
  int widths = 0;

  [[nodiscard]] bool constant() const { return heights == 0 && widths == 0; }
  /// Returns the number if it is an integer that doesn't depend on the picture.
  [[nodiscard]] std::optional<std::int64_t> integer() const;
  /// Returns whether the number is an integer for every size of the network's input.
  [[nodiscard]] bool whole() const;
  /// Returns the number for a network's input of this size, or nullopt if it isn't an integer.
  [[nodiscard]] std::optional<std::int64_t> at(Size network) const;

  friend bool operator==(const SizeNumber&, const SizeNumber&) = default;
};

/// The following functions return nullopt if the result isn't a SizeNumber, or is larger than in
/// any network.
[[nodiscard]] std::optional<SizeNumber> size_number(std::int64_t value);
/// Accepts integers, and fractions whose denominator is a power of two.
[[nodiscard]] std::optional<SizeNumber> fractional_size_number(double value);
[[nodiscard]] std::optional<SizeNumber> product(const SizeNumber& a, const SizeNumber& b);
[[nodiscard]] std::optional<SizeNumber> quotient(const SizeNumber& a, const SizeNumber& b);
/// A sum needs two numbers with equal powers, or a number that is 0.
[[nodiscard]] std::optional<SizeNumber> sum(const SizeNumber& a, const SizeNumber& b);
[[nodiscard]] std::optional<SizeNumber> difference(const SizeNumber& a, const SizeNumber& b);

}  // namespace facepipe::detector
