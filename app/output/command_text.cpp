#include "app/output/command_text.h"

#include <algorithm>
#include <cstddef>

namespace facepipe::app {
namespace {

constexpr std::string_view kAfterScheme = "://";
// A URL in a text ends here.
constexpr std::string_view kUrlEnds = " \t\r\n\"'<>|";

/// Returns a URL's part after "://", shortened.
std::string shortened(std::string_view rest) {
  const std::size_t host_end = std::min(rest.find_first_of("/?#"), rest.size());
  const std::size_t at = rest.substr(0, host_end).rfind('@');
  if (at != std::string_view::npos) rest.remove_prefix(at + 1);
  const std::size_t query = rest.find_first_of("?#");
  if (query == std::string_view::npos) return std::string(rest);
  // A message has a colon after the URL that it is about.
  return std::string(rest.substr(0, query)) + "?..." + (rest.ends_with(':') ? ":" : "");
}

bool is_plain(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') ||
           std::string_view("-_./:=,+%@").find(letter) != std::string_view::npos;
  });
}

std::string quoted(const std::string& word) {
  if (is_plain(word)) return word;
  std::string text = "'";
  for (const char letter : word) {
    if (letter == '\'')
      text += "'\\''";
    else
      text += letter;
  }
  return text + "'";
}

}  // namespace

std::string without_queries(std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t scheme = text.find(kAfterScheme);
    if (scheme == std::string_view::npos) return result.append(text);
    const std::size_t begin = scheme + kAfterScheme.size();
    const std::size_t end = std::min(text.find_first_of(kUrlEnds, begin), text.size());
    result.append(text.substr(0, begin)).append(shortened(text.substr(begin, end - begin)));
    text.remove_prefix(end);
  }
}

std::string command_text(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words)
    line += (line.empty() ? "" : " ") + quoted(without_queries(word));
  return line;
}

}  // namespace facepipe::app
