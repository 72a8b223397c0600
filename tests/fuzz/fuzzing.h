// Holds what the fuzz targets have in common: files that hold an input, and checks of what a parser
// promises.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/error.h"

namespace facepipe::fuzz {

using Bytes = std::span<const std::uint8_t>;

[[nodiscard]] inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A target throws this if a parser doesn't keep what it promises. libFuzzer takes it for a crash,
/// and GoogleTest for a failure.
class BrokenPromise : public std::logic_error {
  using std::logic_error::logic_error;
};

inline void require(bool kept, const std::string& promise) {
  if (!kept) throw BrokenPromise(promise);
}

/// The longest message that a refused input may cause. A message can contain a few words of the
/// input, but never the whole input.
inline constexpr std::size_t kLongestMessage = 4096;

/// Requires that an error's message is one short line.
inline void require_one_line(const std::string& message) {
  require(std::ranges::none_of(message, [](unsigned char c) { return c < ' ' || c == 0x7F; }),
          "the message has several lines or control characters: " + message);
  require(message.size() <= kLongestMessage, "the message is long: " + message);
}

/// Returns what `parse` returns; nullopt if it refuses the input with an Error of a kind that
/// `may_be` accepts. All other exceptions pass, because no input may cause them. The message must
/// be one short line.
template <typename Parse, typename MayBe>
[[nodiscard]] auto parsed_if(const MayBe& may_be, const Parse& parse)
    -> std::optional<decltype(parse())> {
  try {
    return parse();
  } catch (const Error& error) {
    const std::string message = error.what();
    require(may_be(error.kind()), "the error has another kind: " + message);
    require_one_line(message);
    return std::nullopt;
  }
}

/// Returns what `parse` returns; nullopt if it refuses the input with an Error of this kind.
template <typename Parse>
[[nodiscard]] auto parsed(ErrorKind refusal, const Parse& parse)
    -> std::optional<decltype(parse())> {
  return parsed_if([&](ErrorKind kind) { return kind == refusal; }, parse);
}

/// Holds the bytes of an input under a path, without a disk.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// Replaces the file's content.
  void hold(std::string_view content) const;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int file_;
  std::string path_;
};

/// Takes an input apart, from front to back. After the end of the input, it returns zeros and empty
/// texts.
class Pieces {
 public:
  explicit Pieces(Bytes input) : left_(input) {}

  [[nodiscard]] std::uint8_t byte() {
    const Bytes one = take(1);
    return one.empty() ? 0 : one.front();
  }
  [[nodiscard]] std::size_t two_bytes() {
    const std::size_t high = byte();
    return high << 8U | byte();
  }
  /// Returns the next `count` bytes, or all that are left if there are fewer.
  [[nodiscard]] Bytes take(std::size_t count) {
    const Bytes taken = left_.first(count < left_.size() ? count : left_.size());
    left_ = left_.subspan(taken.size());
    return taken;
  }
  /// Returns the next line without its line break.
  [[nodiscard]] std::string_view line() {
    const std::string_view text = text_of(left_);
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return text_of(take(text.size()));
    const std::string_view line = text_of(take(end));
    static_cast<void>(take(1));
    return line;
  }
  [[nodiscard]] Bytes rest() { return take(left_.size()); }
  [[nodiscard]] bool empty() const { return left_.empty(); }

 private:
  Bytes left_;
};

}  // namespace facepipe::fuzz
