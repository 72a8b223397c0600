#include "app/output/html/page.h"

#include <string_view>

#include "app/output/html/page_style.h"

namespace facepipe::app {
namespace {

constexpr const char* kGenerator = "facepipe " FACEPIPE_VERSION;

// Nothing is loaded but pictures that the page itself contains. Nothing is executed. Styles are in
// the page.
constexpr const char* kPolicy =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action "
    "'none'";

Markup head(const std::string& title) {
  return void_element("meta", {{"charset", "utf-8"}}) +
         void_element("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", kPolicy}}) +
         void_element("meta",
                      {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}) +
         void_element("meta", {{"name", "color-scheme"}, {"content", "light dark"}}) +
         void_element("meta", {{"name", "referrer"}, {"content", "no-referrer"}}) +
         void_element("meta", {{"name", "generator"}, {"content", kGenerator}}) +
         element("title", {}, escaped_text(title)) + stylesheet(kPageStyle);
}

}  // namespace

bool is_our_page(std::string_view beginning) {
  return beginning.starts_with("<!doctype html>\n<html lang=\"en\"><head>") &&
         beginning.find("<meta name=\"generator\" content=\"facepipe ") != std::string_view::npos;
}

std::string page(const std::string& title, const Markup& heading, const Markup& cards) {
  const Markup footer =
      element("footer", {},
              escaped_text("Made by " + std::string(kGenerator) + ". This page loads nothing."));
  return html_document(head(title), heading + element("main", {}, cards) + footer);
}

Markup card(const std::string& title, const std::string& note, const Markup& content,
            CardWidth width) {
  Markup inside = element("h2", {}, escaped_text(title));
  if (!note.empty()) inside += element("p", "note", escaped_text(note));
  return element("section", width == CardWidth::full ? "card full" : "card", inside + content);
}

Markup page_header(const Verdict& verdict, const std::vector<KeyNumber>& numbers) {
  const Markup sentence = element("b", {}, escaped_text(verdict.good ? "\u2713" : "!")) +
                          escaped_text(verdict.sentence) +
                          element("span", {}, escaped_text(verdict.details));
  Markup facts;
  for (const KeyNumber& number : numbers)
    facts += element("div", {},
                     element("dt", {}, escaped_text(number.name)) +
                         element("dd", {}, escaped_text(number.value)));
  return element("header", {},
                 element("p", "kind", escaped_text(verdict.kind)) +
                     element("h1", {}, escaped_text(verdict.subject)) +
                     element("p", verdict.good ? "verdict" : "verdict bad", sentence) +
                     element("dl", "facts", facts));
}

Markup fact_table(const std::vector<std::pair<std::string, std::string>>& facts) {
  Markup rows;
  for (const auto& [name, value] : facts) {
    if (value.empty()) continue;
    rows += element("tr", {},
                    element("th", {}, escaped_text(name)) + element("td", {}, escaped_text(value)));
  }
  return element("table", "kv", element("tbody", {}, rows));
}

Markup sentence_list(const std::vector<std::string>& sentences) {
  Markup entries;
  for (const std::string& sentence : sentences)
    entries += element("li", {}, escaped_text(sentence));
  return element("ul", {}, entries);
}

Markup closed_part(const std::string& title, const Markup& content) {
  return element("section", "card full long",
                 element("details", {}, element("summary", {}, escaped_text(title)) + content));
}

}  // namespace facepipe::app
