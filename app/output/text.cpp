#include "app/output/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace facepipe {
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

/// What is no UTF-8 becomes U+FFFD, as in JSON.
std::string utf8(std::string_view value) {
  const bool ascii = std::all_of(value.begin(), value.end(),
                                 [](char letter) { return static_cast<signed char>(letter) >= 0; });
  if (ascii) return std::string(value);
  return nlohmann::json::parse(json_string(value)).get<std::string>();
}

}  // namespace

void append_number(std::string& text, float value) { append_shortest(text, value); }
void append_number(std::string& text, double value) { append_shortest(text, value); }

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

}  // namespace facepipe
