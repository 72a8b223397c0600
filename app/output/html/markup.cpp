#include "app/output/html/markup.h"

#include <array>
#include <utility>

#include "app/output/text.h"

namespace facepipe::app {
namespace {

/// Returns how HTML writes a character; empty if it stands for itself. Both kinds of quotes are
/// escaped, so the result fits into attributes, too.
std::string_view entity_of(char letter) {
  switch (letter) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : terminal_text(text)) {
    const std::string_view entity = entity_of(letter);
    if (entity.empty())
      safe += letter;
    else
      safe += entity;
  }
  return safe;
}

bool stands_for_itself_in_a_reference(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' || letter == '.' ||
         letter == '/';
}

}  // namespace

/// Writes start tags. It is a friend of Markup, so that no other code can make markup from text.
class Tag {
 public:
  static Markup start(const char* name, std::initializer_list<Attribute> attributes) {
    std::string text = std::string("<") + name;
    for (const Attribute& attribute : attributes)
      text.append(" ").append(attribute.name).append("=\"").append(escaped(attribute.value)) += '"';
    return Markup(text + '>');
  }
  static Markup end(const char* name) { return Markup(std::string("</") + name + '>'); }
};

Markup& Markup::operator+=(const Markup& more) {
  text_ += more.text_;
  return *this;
}

Markup escaped_text(std::string_view text) { return Markup(escaped(text)); }

Markup element(const char* name, std::initializer_list<Attribute> attributes,
               const Markup& content) {
  Markup whole = Tag::start(name, attributes);
  whole += content;
  return whole += Tag::end(name);
}

Markup element(const char* name, const char* style, const Markup& content) {
  if (*style == '\0') return element(name, {}, content);
  return element(name, {{"class", style}}, content);
}

Markup void_element(const char* name, std::initializer_list<Attribute> attributes) {
  return Tag::start(name, attributes);
}

Markup stylesheet(const char* rules) { return Markup(std::string("<style>") + rules + "</style>"); }

std::string html_document(const Markup& head, const Markup& body) {
  return "<!doctype html>\n" +
         element("html", {{"lang", "en"}}, element("head", {}, head) + element("body", {}, body))
             .string() +
         "\n";
}

std::string reference_to(std::string_view path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string reference = "./";
  for (const char letter : path) {
    if (stands_for_itself_in_a_reference(letter)) {
      reference += letter;
      continue;
    }
    const auto byte = static_cast<unsigned char>(letter);
    reference += '%';
    reference += kDigits[byte >> 4U];
    reference += kDigits[byte & 15U];
  }
  return reference;
}

}  // namespace facepipe::app
