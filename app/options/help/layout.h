// Lays out a help of 80 columns: headings, paragraphs, and entries of two columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace facepipe::app {

inline constexpr std::size_t kHelpWidth = 80;

/// Returns the words of `text` in lines of at most `width` characters. A word that is longer has
/// a line of its own. All characters must be ASCII.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view text, std::size_t width);

enum class Colours { none, ansi };

/// Collects the text of a help. With colours, headings and names are bold.
class HelpText {
 public:
  explicit HelpText(Colours colours) : colours_(colours) {}

  /// Adds an empty line and "HEADING:".
  void heading(std::string_view heading);
  void paragraph(std::string_view text, std::size_t indent = 0);
  /// Adds a line that is never broken, such as a command.
  void line(std::string_view text, std::size_t indent = 0);
  void empty_line() { text_ += '\n'; }

  /// The left column of an entry.
  struct Left {
    std::string name;     ///< bold
    std::string value{};  ///< a placeholder behind the name
  };
  /// Adds an entry, whose right column begins at `column`. A longer left column has a line of its
  /// own.
  void entry(const Left& left, std::string_view right, std::size_t column);

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  [[nodiscard]] std::string bold(std::string_view text) const;

  Colours colours_;
  std::string text_;
};

}  // namespace facepipe::app
