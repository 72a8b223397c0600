#include "app/options/completion/shell_hint.h"

#include <algorithm>

namespace facepipe::app {
namespace {

using Kind = ShellHint::Kind;

/// Returns the hint of a value that may be any text. Its placeholder says whether it names a file.
ShellHint hint_of_text(const Row& row) {
  if (!row.words.empty()) return {Kind::words, row.words};
  if (row.kind == "FILE" || row.kind == "PATH") return {Kind::files, row.endings};
  if (row.kind == "DIR") return {Kind::folders};
  return {Kind::text};
}

struct HintOfKind {
  const Row& row;

  ShellHint operator()(const Flag& /*flag*/) const { return {Kind::no_value}; }
  ShellHint operator()(const Choice& choice) const {
    return {Kind::words, {choice.words.begin(), choice.words.end()}};
  }
  ShellHint operator()(const FileOf& file) const { return {Kind::files, file.extensions}; }
  ShellHint operator()(const Integer& integer) const {
    if (integer.zero.empty()) return {Kind::text};
    return {Kind::words, {integer.zero}};
  }
  ShellHint operator()(const WordList& /*list*/) const {
    if (row.words.empty()) return {Kind::text};
    return {Kind::list, row.words};
  }
  ShellHint operator()(const Argument& /*argument*/) const {
    if (row.words.empty()) return {Kind::files, row.endings};
    return {Kind::words, row.words};
  }
  template <typename Other>
  ShellHint operator()(const Other& /*kind*/) const {
    return hint_of_text(row);
  }
};

}  // namespace

ShellHint hint_of(const Row& row) { return std::visit(HintOfKind{row}, row.value.kind); }

std::string_view name_of(ShellHint::Kind kind) {
  switch (kind) {
    case Kind::no_value:
      return "no value";
    case Kind::text:
      return "text";
    case Kind::words:
      return "words";
    case Kind::list:
      return "list";
    case Kind::files:
      return "files";
    default:
      return "folders";
  }
}

std::vector<std::string> names_of(const Row& row) {
  std::vector<std::string> names;
  std::string_view rest = row.names;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    names.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return names;
}

}  // namespace facepipe::app
