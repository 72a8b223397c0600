// The texts of single options: numbers, times, sizes, colours, regions, devices.
#include "app/options/values.h"

#include <cmath>
#include <string>
#include <vector>

#include "core/device.h"
#include "tests/fuzz/targets.h"

namespace facepipe::fuzz {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

void read_numbers(const app::OptionText& given) {
  const auto number = parsed(ErrorKind::usage, [&] { return app::parse_number(given, 0.25, 8); });
  require(!number || (*number >= 0.25 && *number <= 8), "a number is out of range");
  const auto integer = parsed(ErrorKind::usage, [&] { return app::parse_integer(given, -3, 7); });
  require(!integer || (*integer >= -3 && *integer <= 7), "an integer is out of range");
  const auto time = parsed(ErrorKind::usage, [&] { return app::parse_time(given); });
  require(!time || (std::isfinite(*time) && *time >= 0), "a time is negative or not finite");
  const auto size = parsed(ErrorKind::usage, [&] { return app::parse_size(given, 16, 4096); });
  require(!size || (size->width >= 16 && size->width <= 4096 && size->height >= 16 &&
                    size->height <= 4096),
          "a size is out of range");
}

void read_pictures(const app::OptionText& given) {
  static_cast<void>(parsed(ErrorKind::usage, [&] { return app::parse_color(given); }));
  static_cast<void>(parsed(ErrorKind::usage, [&] { return app::parse_hide_style(given); }));
  const auto region = parsed(ErrorKind::usage, [&] { return app::parse_region(given); });
  require(!region || (region->box.width() > 0 && region->box.height() > 0 && !region->name.empty()),
          "a region is empty");
  static_cast<void>(parsed(ErrorKind::usage, [&] { return app::parse_span(given); }));
}

}  // namespace

void fuzz_values(Bytes input) {
  const app::OptionText given{"--option", text_of(input)};
  const std::vector<std::string> words = words_of(given.text);
  read_numbers(given);
  read_pictures(given);
  static_cast<void>(parsed(ErrorKind::usage, [&] { return app::parse_assignment(given); }));
  static_cast<void>(parsed(ErrorKind::usage, [&] { return app::parse_looks("--looks", words); }));
  static_cast<void>(parsed(ErrorKind::usage, [&] { return app::parse_draw("--draw", words); }));
  static_cast<void>(parsed(ErrorKind::usage, [&] { return parse_device(given.text); }));
  static_cast<void>(parsed(ErrorKind::usage, [&] { return parse_devices(given.text); }));
  static_cast<void>(app::near_miss(given.text, {"blur", "mosaic", "solid"}));
}

}  // namespace facepipe::fuzz
