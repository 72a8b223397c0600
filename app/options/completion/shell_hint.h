// Says what a shell can offer for the value of an option or for an argument.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/options/row.h"

namespace facepipe::app {

struct ShellHint {
  enum class Kind {
    no_value,  ///< a flag
    text,      ///< a value, for which nothing can be offered
    words,     ///< one of `words`
    list,      ///< some of `words`, joined by commas
    files,     ///< files that end in one of `words`, or any file; and folders on the way to them
    folders,
  };
  Kind kind = Kind::no_value;
  std::vector<std::string> words{};
};

[[nodiscard]] ShellHint hint_of(const Row& row);

/// Returns "no value", "text", "words", "list", "files" or "folders".
[[nodiscard]] std::string_view name_of(ShellHint::Kind kind);

/// Returns the names of an option: {"-o", "--output"}.
[[nodiscard]] std::vector<std::string> names_of(const Row& row);

}  // namespace facepipe::app
