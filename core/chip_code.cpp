#include "core/chip_code.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace facepipe {
namespace {

/// Reads one part of the value: digits, perhaps a letter, perhaps "-real" or "-virtual".
std::optional<ChipCode> parse_chip_code(std::string_view text) {
  int number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || number < 10 || number > 999) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  ChipCode code{number / 10, number % 10};
  if (text.starts_with('a')) {
    code.exact = true;
    text.remove_prefix(1);
  }
  if (text == "-virtual") code.machine_code = false;
  code.intermediate = text != "-real";
  if (!text.empty() && text != "-real" && text != "-virtual") return std::nullopt;
  return code;
}

bool runs(const ChipCode& code, int major, int minor) {
  if (code.major == major && code.minor == minor) return true;
  if (code.exact) return false;
  if (code.machine_code && code.major == major && code.minor < minor) return true;
  return code.intermediate && (code.major < major || (code.major == major && code.minor < minor));
}

}  // namespace

std::vector<ChipCode> chip_codes(std::string_view architectures) {
  std::vector<ChipCode> codes;
  for (std::size_t begin = 0; begin < architectures.size();) {
    const std::size_t end = std::min(architectures.find(',', begin), architectures.size());
    const std::optional<ChipCode> code = parse_chip_code(architectures.substr(begin, end - begin));
    if (!code) return {};
    codes.push_back(*code);
    begin = end + 1;
  }
  return codes;
}

bool runs_on_chip(const std::vector<ChipCode>& codes, int major, int minor) {
  return codes.empty() ||
         std::ranges::any_of(codes, [&](const ChipCode& code) { return runs(code, major, minor); });
}

std::string describe_chip_codes(const std::vector<ChipCode>& codes) {
  if (codes.empty()) return "unknown chips";
  std::string text;
  bool newer = false;
  for (const ChipCode& code : codes) {
    if (!text.empty()) text += ", ";
    text += std::to_string(code.major) + "." + std::to_string(code.minor);
    newer = newer || (code.intermediate && !code.exact);
  }
  return newer ? text + " and newer" : text;
}

}  // namespace facepipe
