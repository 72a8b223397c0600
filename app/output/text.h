// Pieces of text that the files beside the video are made of, and text that is safe to show.
#pragma once

#include <string>
#include <string_view>

namespace facepipe::app {

/// Appends the shortest decimal text that reads back as the same value; "null" stands for a value
/// that is not finite, because JSON has no other word for it.
void append_number(std::string& text, float value);
void append_number(std::string& text, double value);

/// Returns that text by itself.
template <typename T>
[[nodiscard]] std::string shown(T value) {
  std::string text;
  append_number(text, value);
  return text;
}

/// Returns the text as it reads back from a JSON file: U+FFFD replaces bytes that are not UTF-8.
[[nodiscard]] std::string utf8(std::string_view value);

/// Returns a field of a CSV line, quoted by RFC 4180 if it holds a comma, a quote or a line break.
/// Bytes that are no UTF-8 become U+FFFD, as in JSON.
[[nodiscard]] std::string csv_field(std::string_view value);

/// Returns a JSON string with its quotes. Bytes that are no UTF-8 become U+FFFD: a file's name may
/// hold any byte.
[[nodiscard]] std::string json_string(std::string_view value);

/// Returns one line that is safe on a terminal. A terminal obeys control characters, so a file's
/// name, or its content, could clear the screen, forge lines, or turn the direction of writing.
/// These characters, line breaks, and bytes that are no UTF-8, become "\x1b" or "\u{202e}". The
/// rest stays as it is.
[[nodiscard]] std::string terminal_text(std::string_view text);

/// Returns several such lines, whose line breaks stay.
[[nodiscard]] std::string terminal_lines(std::string_view text);

}  // namespace facepipe::app
