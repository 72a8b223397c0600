// Packs values into bytes, and unpacks them. One function describes a struct for both directions.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace facepipe {

static_assert(std::endian::native == std::endian::little, "packed numbers are little-endian");

template <typename T>
concept PackedNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Appends values to bytes.
class Packer {
 public:
  static constexpr bool kUnpacks = false;

  template <PackedNumber T>
  void operator()(const T& value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  template <PackedNumber T>
  void operator()(const std::vector<T>& values) {
    operator()(static_cast<std::uint32_t>(values.size()));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  void operator()(std::string_view text) {
    operator()(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
  }
  /// Returns how many entries a list has, and packs the number.
  std::size_t count(std::size_t entries) {
    operator()(static_cast<std::uint32_t>(entries));
    return entries;
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes values from bytes, which the caller keeps. Throws std::out_of_range if there are too few.
class Unpacker {
 public:
  static constexpr bool kUnpacks = true;

  explicit Unpacker(std::string_view bytes) : left_(bytes) {}
  /// A temporary string doesn't live as long as the unpacker.
  explicit Unpacker(std::string&& bytes) = delete;

  template <PackedNumber T>
  void operator()(T& value) {
    const std::string_view bytes = take(sizeof value);
    if constexpr (std::is_same_v<T, bool>)
      value = bytes.front() != 0;
    else
      std::memcpy(&value, bytes.data(), sizeof value);
  }
  template <PackedNumber T>
  void operator()(std::vector<T>& values) {
    const std::size_t entries = count(0);
    if (entries > left_.size() / sizeof(T)) throw std::out_of_range("too few bytes");
    const std::string_view bytes = take(entries * sizeof(T));
    values.resize(entries);
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  }
  void operator()(std::string& text) { text = take(count(0)); }
  /// Returns how many entries a list has. Each entry takes at least a byte.
  std::size_t count(std::size_t /*entries*/) {
    std::uint32_t entries = 0;
    operator()(entries);
    if (entries > left_.size()) throw std::out_of_range("too few bytes");
    return entries;
  }

  [[nodiscard]] std::string_view take(std::size_t bytes) {
    if (bytes > left_.size()) throw std::out_of_range("too few bytes");
    const std::string_view taken = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return taken;
  }
  [[nodiscard]] bool empty() const { return left_.empty(); }

 private:
  std::string_view left_;
};

/// Packs or unpacks several values.
template <typename Packing, typename... Values>
void pack_all(Packing& packing, Values&... values) {
  (packing(values), ...);
}

}  // namespace facepipe
