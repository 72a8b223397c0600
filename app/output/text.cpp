#include "app/output/text.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace facepipe::app {
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

std::string escaped(std::uint32_t code) {
  constexpr std::uint32_t kByte = 0x100;
  return code < kByte ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{{{:04x}}}", code);
}

template <typename T>
void append_shortest(std::string& text, T value) {
  if (!std::isfinite(value)) {
    text += "null";
    return;
  }
  std::array<char, 64> digits{};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), result.ptr);
}

}  // namespace

void append_number(std::string& text, float value) { append_shortest(text, value); }
void append_number(std::string& text, double value) { append_shortest(text, value); }

std::string utf8(std::string_view value) {
  const bool ascii = std::all_of(value.begin(), value.end(),
                                 [](char letter) { return static_cast<signed char>(letter) >= 0; });
  if (ascii) return std::string(value);
  return nlohmann::json::parse(json_string(value)).get<std::string>();
}

std::string csv_field(std::string_view value) {
  std::string text = utf8(value);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char letter : text) {
    if (letter == '"') field += '"';
    field += letter;
  }
  return field + '"';
}

std::string json_string(std::string_view value) {
  return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

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

std::string terminal_lines(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    safe += terminal_text(text.substr(0, end));
    text.remove_prefix(end);
    if (text.empty()) break;
    safe += '\n';
    text.remove_prefix(1);
  }
  return safe;
}

}  // namespace facepipe::app
