// Shows command lines and addresses to people, without what could be secret in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace facepipe::app {

/// Returns the text with each URL in it shortened: its query, its fragment, and a name or password
/// before its host are left out, because they may give access. "?..." stands for a query or
/// fragment.
[[nodiscard]] std::string without_queries(std::string_view text);

/// Returns words as a line that a shell reads back, with URLs as without_queries() makes them.
/// Returns an empty text for no words.
[[nodiscard]] std::string command_text(const std::vector<std::string>& words);

}  // namespace facepipe::app
