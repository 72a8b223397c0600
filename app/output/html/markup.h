// Builds HTML and SVG from text that may come from anywhere: a file's name, a model's card, an
// error.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace facepipe::app {

/// Holds a piece of HTML or SVG. Only the functions below make one, so all text in it is escaped,
/// and each element in it is closed.
class Markup {
 public:
  Markup() = default;

  [[nodiscard]] const std::string& string() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  Markup& operator+=(const Markup& more);
  friend Markup operator+(Markup left, const Markup& right) { return left += right; }

 private:
  friend Markup escaped_text(std::string_view text);
  friend Markup stylesheet(const char* rules);
  friend class Tag;
  explicit Markup(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

/// An attribute of an element. Its value may come from anywhere.
struct Attribute {
  const char* name;
  std::string value;
};

/// Returns the text as HTML shows it. Control characters, and characters that change the direction
/// of writing, become visible, as terminal_text() makes them.
[[nodiscard]] Markup escaped_text(std::string_view text);

/// Returns an element with its content. `name` is the element's name.
[[nodiscard]] Markup element(const char* name, std::initializer_list<Attribute> attributes,
                             const Markup& content = {});
/// Returns an element of class `style`; without a class if it is empty.
[[nodiscard]] Markup element(const char* name, const char* style, const Markup& content);
/// Returns an element of HTML that has no content and no end tag, such as <img>.
[[nodiscard]] Markup void_element(const char* name, std::initializer_list<Attribute> attributes);

/// Returns a <style> element. `rules` is our own text, and contains no "</".
[[nodiscard]] Markup stylesheet(const char* rules);

/// Returns a whole document.
/// @param head, body  the contents of <head> and <body>
[[nodiscard]] std::string html_document(const Markup& head, const Markup& body);

/// Returns a reference to a file beside the page, such as "./r/a%20b.html". Bytes that could end a
/// reference, or begin a scheme or a host, are encoded.
/// @param path  relative, with slashes between its parts
[[nodiscard]] std::string reference_to(std::string_view path);

}  // namespace facepipe::app
