#include "core/terminal_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace facepipe {
namespace {

/// A character of UTF-8. `bytes` is 0 if there is no valid character.
struct Utf8Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

/// Reads the first character of a text, which must not be empty. Forms that are longer than
/// necessary, surrogates, and codes beyond Unicode are not valid.
Utf8Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  std::uint32_t code = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[length] || surrogate || code > 0x10FFFF) return {};
  return {code, length};
}

/// Returns whether a terminal executes the character instead of showing it. These are controls (C0,
/// DEL, C1), line and paragraph separators, and characters that change the direction of writing
/// (Unicode's Bidi_Control).
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C || code == 0x200E ||
         code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

/// Returns "\x1b" or "\u{202e}", for example.
std::string escaped(std::uint32_t code) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::uint32_t kByte = 0x100;
  std::string digits;
  for (std::uint32_t rest = code; rest > 0; rest /= 16) digits.insert(0, 1, kDigits[rest % 16]);
  const std::size_t width = code < kByte ? 2 : 4;
  digits.insert(0, width - std::min(width, digits.size()), '0');
  return code < kByte ? "\\x" + digits : "\\u{" + digits + "}";
}

}  // namespace

std::string terminal_text(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const std::size_t bytes = std::max<std::size_t>(character.bytes, 1);
    if (character.bytes == 0)
      safe += escaped(static_cast<unsigned char>(text.front()));
    else if (is_control(character.code))
      safe += escaped(character.code);
    else
      safe += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return safe;
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return terminal_text(text);
}

std::string shown_name(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  if (name.size() <= kLongest) return terminal_text(name);
  std::size_t end = kLongest;  // a character of UTF-8 has at most 3 bytes after its first one
  while (end > kLongest - 3 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80) --end;
  return terminal_text(name.substr(0, end)) + "...";
}

}  // namespace facepipe
