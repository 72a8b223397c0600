// Reads numbers and ranges of bytes from the bytes of a file. The bytes are not trusted: even if
// they are malformed, nothing beyond their end is read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace facepipe::video {

using Bytes = std::span<const std::uint8_t>;

/// Returns whether the bytes begin with `text`.
[[nodiscard]] inline bool begins_with(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
         std::equal(text.begin(), text.end(), bytes.begin(),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

[[nodiscard]] inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Returns the big-endian number that the bytes of a four-character name form.
[[nodiscard]] constexpr std::uint64_t four_cc(std::string_view name) {
  std::uint64_t value = 0;
  for (const char c : name) value = value << 8U | static_cast<unsigned char>(c);
  return value;
}

/// Reads from front to back. Past the end, a ByteReader returns zeros and empty ranges, and
/// failed() is true.
class ByteReader {
 public:
  enum class Order { big_endian, little_endian };

  explicit ByteReader(Bytes bytes, Order order = Order::big_endian)
      : bytes_(bytes), order_(order) {}

  /// Returns the next `width` bytes, 8 at most, as a number.
  [[nodiscard]] std::uint64_t number(std::size_t width) {
    const Bytes digits = take(width);
    if (digits.size() < width) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i)
      value = value << 8U | digits[order_ == Order::big_endian ? i : width - 1 - i];
    return value;
  }

  /// Returns the next `count` bytes, or all that are left if there are fewer.
  [[nodiscard]] Bytes take(std::uint64_t count) {
    failed_ = failed_ || count > left();
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(count, left()));
    at_ += taken;
    return bytes_.subspan(at_ - taken, taken);
  }

  void skip(std::uint64_t count) { static_cast<void>(take(count)); }

  /// Continues at the byte with the index `place`.
  void seek(std::uint64_t place) {
    failed_ = failed_ || place > bytes_.size();
    at_ = static_cast<std::size_t>(std::min<std::uint64_t>(place, bytes_.size()));
  }

  [[nodiscard]] Bytes rest() const { return bytes_.subspan(at_); }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }
  /// Returns whether a call asked for more bytes than there are.
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  Bytes bytes_;
  Order order_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace facepipe::video
