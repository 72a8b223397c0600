#include "detector/cnn/model/card/python_literal.h"

#include <charconv>

namespace facepipe::detector {
namespace {

constexpr int kLargest = 1000000;

/// Reads a text from its front to its end.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : left_(text) {}

  /// Skips spaces, and reads the character `c`. Returns false if the next character isn't `c`.
  bool take(char c) {
    skip_spaces();
    if (left_.empty() || left_.front() != c) return false;
    left_.remove_prefix(1);
    return true;
  }

  std::optional<int> integer() {
    skip_spaces();
    int value = 0;
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    if (error != std::errc() || value < 0 || value > kLargest) return std::nullopt;
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    return value;
  }

  /// Skips spaces, and reads a text in quotes. Returns nullopt if there is none. Python writes a
  /// backslash before a backslash and before the quote.
  std::optional<std::string> quoted() {
    skip_spaces();
    if (left_.empty() || (left_.front() != '\'' && left_.front() != '"')) return std::nullopt;
    const char quote = left_.front();
    std::string text;
    for (std::size_t i = 1; i < left_.size(); ++i) {
      if (left_[i] == quote) {
        left_.remove_prefix(i + 1);
        return text;
      }
      if (left_[i] == '\\' && ++i == left_.size()) break;
      text += left_[i];
    }
    return std::nullopt;
  }

  [[nodiscard]] bool at_end() {
    skip_spaces();
    return left_.empty();
  }

 private:
  void skip_spaces() {
    while (!left_.empty() && left_.front() == ' ') left_.remove_prefix(1);
  }

  std::string_view left_;
};

}  // namespace

std::optional<std::vector<int>> python_integers(std::string_view text, std::size_t most) {
  Scanner scanner(text);
  std::vector<int> values;
  if (!scanner.take('[')) return std::nullopt;
  while (!scanner.take(']')) {
    if (!values.empty() && !scanner.take(',')) return std::nullopt;
    const std::optional<int> value = scanner.integer();
    if (!value || values.size() == most) return std::nullopt;
    values.push_back(*value);
  }
  return scanner.at_end() ? std::optional(values) : std::nullopt;
}

std::optional<std::vector<std::string>> python_names(std::string_view text, std::size_t most) {
  Scanner scanner(text);
  std::vector<std::string> names;
  if (!scanner.take('{')) return std::nullopt;
  while (!scanner.take('}')) {
    if (!names.empty() && !scanner.take(',')) return std::nullopt;
    const std::optional<int> number = scanner.integer();
    if (number != static_cast<int>(names.size()) || !scanner.take(':')) return std::nullopt;
    std::optional<std::string> name = scanner.quoted();
    if (!name || names.size() == most) return std::nullopt;
    names.push_back(std::move(*name));
  }
  return scanner.at_end() ? std::optional(names) : std::nullopt;
}

}  // namespace facepipe::detector
