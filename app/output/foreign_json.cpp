#include "app/output/foreign_json.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>

namespace facepipe::app {
namespace {

/// Returns how many levels a JSON text has. If the text isn't JSON, the result means nothing.
int levels_of(std::string_view text) {
  int level = 0;
  int most = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '"') quoted = !quoted;
    if (quoted) {
      if (letter == '\\') ++i;  // an escaped quote doesn't end the string
    } else if (letter == '[' || letter == '{') {
      most = std::max(most, ++level);
    } else if (letter == ']' || letter == '}') {
      --level;
    }
  }
  return most;
}

}  // namespace

nlohmann::ordered_json foreign_json(std::string_view text) {
  using Json = nlohmann::ordered_json;
  if (levels_of(text) > kDeepestForeignJson) return Json::value_t::discarded;
  return Json::parse(text, nullptr, false);
}

}  // namespace facepipe::app
