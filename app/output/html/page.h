// Makes the frame of a page: what stands in its head, its cards, and its tables.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/output/html/markup.h"

namespace facepipe::app {

/// Marks the first line of a page that facepipe has made, so that a later run knows it.
[[nodiscard]] bool is_our_page(std::string_view beginning);

/// Returns a whole page. It contains no script, and forbids the browser to load anything.
/// @param title    of the browser's tab
/// @param heading  in the page's header
/// @param cards    made by card()
[[nodiscard]] std::string page(const std::string& title, const Markup& heading,
                               const Markup& cards);

enum class CardWidth { half, full };
/// Returns a section of a page.
/// @param note  a sentence below the title; empty: none
[[nodiscard]] Markup card(const std::string& title, const std::string& note, const Markup& content,
                          CardWidth width = CardWidth::full);

/// Names what a page is about, its title, and how it ended.
struct Verdict {
  std::string kind;     ///< "facepipe hide"
  std::string subject;  ///< the input's name
  bool good = false;
  std::string sentence;
  std::string details;  ///< "0 lost, 0 damaged, exit code 0"
};
/// A number with its name.
struct KeyNumber {
  std::string name;
  std::string value;
};
/// Returns a page's header: the verdict, and the most important numbers.
[[nodiscard]] Markup page_header(const Verdict& verdict, const std::vector<KeyNumber>& numbers);

/// Returns a table with a name and a value in each row. Rows with an empty value are left out.
[[nodiscard]] Markup fact_table(const std::vector<std::pair<std::string, std::string>>& facts);
/// Returns a list with one sentence in each entry.
[[nodiscard]] Markup sentence_list(const std::vector<std::string>& sentences);
/// Returns `content` in a part that a reader opens. It is open on paper.
[[nodiscard]] Markup closed_part(const std::string& title, const Markup& content);

}  // namespace facepipe::app
