#include "app/output/line_format.h"

#include <cstddef>

namespace facepipe::app {

std::optional<std::string_view> input_of_json(std::string_view line) {
  constexpr std::string_view kBegin = R"({"file":)";
  if (!line.starts_with(std::string(kBegin) + '"') || !line.ends_with('}')) return std::nullopt;
  std::size_t i = kBegin.size() + 1;
  while (i < line.size() && line[i] != '"') i += line[i] == '\\' ? 2 : 1;
  if (i + 1 >= line.size()) return std::nullopt;
  return line.substr(kBegin.size(), i + 1 - kBegin.size());
}

std::optional<std::string_view> input_of_csv(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == ',' && !quoted) return line.substr(0, i);
  }
  return std::nullopt;
}

}  // namespace facepipe::app
