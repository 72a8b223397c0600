// Makes pieces of text for the files besides the video, and lines that are safe to show on a
// terminal.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/terminal_text.h"  // IWYU pragma: export

namespace facepipe::app {

/// Appends the shortest decimal text that, when read back, gives the same value. A value that is
/// not finite becomes "null", because JSON has no other word for it.
void append_number(std::string& text, float value);
void append_number(std::string& text, double value);

/// Returns only the text that append_number() appends.
template <typename T>
[[nodiscard]] std::string shown(T value) {
  std::string text;
  append_number(text, value);
  return text;
}

/// Returns the text as it would be read back from a JSON file: U+FFFD replaces bytes that are not
/// UTF-8.
[[nodiscard]] std::string utf8(std::string_view value);

/// Returns a field of a CSV line, quoted by RFC 4180 if it contains a comma, a quote or a line
/// break. Bytes that are not UTF-8 become U+FFFD, as in JSON.
[[nodiscard]] std::string csv_field(std::string_view value);

/// Returns a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, because a file's
/// name may contain any byte.
[[nodiscard]] std::string json_string(std::string_view value);

/// Returns the text as a value of JSON; null if it is empty.
[[nodiscard]] nlohmann::ordered_json text_or_null(const std::string& text);

/// Returns several lines that are safe on a terminal. Their line breaks stay.
[[nodiscard]] std::string terminal_lines(std::string_view text);

}  // namespace facepipe::app
