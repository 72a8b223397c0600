#include "app/options/help/layout.h"

#include <sstream>

namespace facepipe::app {

std::vector<std::string> lines_of(std::string_view text, std::size_t width) {
  std::istringstream words{std::string(text)};
  std::vector<std::string> lines;
  for (std::string word; words >> word;) {
    if (lines.empty() || lines.back().size() + 1 + word.size() > width)
      lines.push_back(word);
    else
      lines.back() += ' ' + word;
  }
  return lines;
}

std::string HelpText::bold(std::string_view text) const {
  const std::string plain(text);
  return colours_ == Colours::none ? plain : "\033[1m" + plain + "\033[0m";
}

void HelpText::heading(std::string_view heading) {
  text_ += '\n' + bold(std::string(heading) + ':') + '\n';
}

void HelpText::paragraph(std::string_view text, std::size_t indent) {
  for (const std::string& part : lines_of(text, kHelpWidth - indent)) line(part, indent);
}

void HelpText::line(std::string_view text, std::size_t indent) {
  text_.append(indent, ' ').append(text).append("\n");
}

void HelpText::entry(const Left& left, std::string_view right, std::size_t column) {
  constexpr std::size_t kIndent = 2;
  constexpr std::size_t kGap = 2;
  const std::string value = left.value.empty() ? "" : ' ' + left.value;
  text_.append(kIndent, ' ').append(bold(left.name)).append(value);
  const std::size_t used = kIndent + left.name.size() + value.size();
  const std::vector<std::string> lines = lines_of(right, kHelpWidth - column);
  const bool beside = used + kGap <= column;
  if (!beside || lines.empty()) text_ += '\n';
  for (std::size_t i = 0; i < lines.size(); ++i)
    line(lines[i], i == 0 && beside ? column - used : column);
}

}  // namespace facepipe::app
