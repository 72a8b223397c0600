// Pieces of text that the files beside the video are made of, and text that is safe to show.
#pragma once

#include <string>
#include <string_view>

namespace facepipe::app {

/// Appends the shortest decimal text that reads back as the same value; "null" stands for a value
/// that is not finite, because JSON has no other word for it.
void append_number(std::string& text, float value);
void append_number(std::string& text, double value);

/// That text by itself.
template <typename T>
[[nodiscard]] std::string shown(T value) {
  std::string text;
  append_number(text, value);
  return text;
}

/// A field of a CSV line, quoted by RFC 4180 where it holds a comma, a quote or a line break. What
/// is no UTF-8 becomes U+FFFD, as in JSON.
[[nodiscard]] std::string csv_field(std::string_view value);

/// A JSON string with its quotes. What is no UTF-8 becomes U+FFFD: a file's name may hold any byte.
[[nodiscard]] std::string json_string(std::string_view value);

/// One line for a terminal, which obeys control characters: a file's name, or its content, could
/// clear the screen, forge lines, or turn the direction of writing. These characters, line breaks
/// among them, and what is no UTF-8, become "\x1b" or "\u{202e}"; all else stays as it is.
[[nodiscard]] std::string terminal_text(std::string_view text);

/// Several such lines: their breaks stay.
[[nodiscard]] std::string terminal_lines(std::string_view text);

}  // namespace facepipe::app
