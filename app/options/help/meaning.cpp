#include "app/options/help/meaning.h"

#include <algorithm>

#include "app/options/help/layout.h"
#include "app/options/table.h"

namespace facepipe::app {
namespace {

/// Returns "0 to 1024" for a kind of value that has a range; nothing for the others.
struct RangeText {
  std::string operator()(const Number& number) const {
    return shown(number.low) + " to " + shown(number.high);
  }
  std::string operator()(const Integer& integer) const {
    return std::to_string(integer.low) + " to " + std::to_string(integer.high);
  }
  template <typename Other>
  std::string operator()(const Other& /*kind*/) const {
    return {};
  }
};

std::string range_of(const Row& row) {
  const bool is_in_kind = row.kind.find("..") != std::string::npos;
  return is_in_kind ? std::string() : std::visit(RangeText{}, row.value.kind);
}

std::string excluded_by(const Row& row) {
  if (row.excludes.empty()) return {};
  return "excludes " + joined({row.excludes.begin(), row.excludes.end()});
}

}  // namespace

std::string full_meaning(const Row& row) {
  std::string details;
  const std::string fallback =
      row.default_text().empty() ? std::string() : "default: " + row.default_text();
  for (const std::string& detail : {range_of(row), fallback, excluded_by(row)})
    if (!detail.empty()) details += (details.empty() ? "" : "; ") + detail;
  return details.empty() ? row.help : row.help + " (" + details + ")";
}

std::string brief_meaning(const Row& row) {
  constexpr std::size_t kMost = 60;
  const std::string sentence = row.help.substr(0, row.help.find(". "));
  const std::vector<std::string> lines = lines_of(sentence, kMost);
  return lines.size() > 1 ? lines.front() + " ..." : sentence;
}

std::string arguments_of(Commands command) {
  std::string all;
  for (const Row* const row : rows_of(command)) {
    const auto* const argument = std::get_if<Argument>(&row->value.kind);
    if (argument == nullptr) continue;
    const std::string name = argument->optional ? "[" + row->names + "]" : row->names;
    all += (all.empty() ? "" : " ") + name + (argument->several ? "..." : "");
  }
  return all;
}

}  // namespace facepipe::app
