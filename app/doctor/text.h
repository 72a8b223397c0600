// How doctor's lines look.
#pragma once

#include <functional>
#include <string_view>

namespace facepipe {

using Print = std::function<void(std::string_view)>;

/// "  WHAT          TEXT\n".
void print_line(const Print& print, std::string_view what, std::string_view text);

}  // namespace facepipe
