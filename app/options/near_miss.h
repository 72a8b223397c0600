// Which known word somebody may have meant who wrote another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace facepipe {

/// The one of `known` that takes the fewest letters inserted, deleted or replaced to make from
/// `word`, the first of equals; empty where even that takes more than about a third of its letters.
[[nodiscard]] std::string near_miss(std::string_view word, const std::vector<std::string>& known);

}  // namespace facepipe
