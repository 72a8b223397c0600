#include "app/output/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>

namespace facepipe::app {
namespace {

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
