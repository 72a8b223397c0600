// Joins texts.
#pragma once

#include <string>
#include <string_view>

namespace facepipe::app {

/// Returns the texts with `between` between each two of them.
template <typename Texts>
[[nodiscard]] std::string joined_by(const Texts& texts, std::string_view between) {
  std::string all;
  bool first = true;
  for (const std::string_view text : texts) {
    if (!first) all += between;
    first = false;
    all += text;
  }
  return all;
}

}  // namespace facepipe::app
