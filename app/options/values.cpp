#include "app/options/values.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <numeric>
#include <optional>

#include "app/output/joined.h"
#include "app/output/text.h"
#include "core/limits.h"

namespace facepipe::app {
namespace {

constexpr double kLongestSeconds = 1e7;

/// Reads all of `text` as a number; returns nullopt if it isn't a number.
template <typename T>
std::optional<T> read_all(std::string_view text) {
  T value{};
  const char* const last = text.data() + text.size();
  const auto [end, status] = std::from_chars(text.data(), last, value);
  if (status != std::errc() || end != last) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end != std::string_view::npos) text.remove_prefix(end + 1);
  }
  return parts;
}

struct NamedColor {
  std::string_view name;
  overlay::Rgb rgb;
};
/// The names and values are those of CSS (W3C, CSS Color Module Level 4), with values of two
/// digits.
constexpr std::array kColors{
    NamedColor{"black", {0, 0, 0}},      NamedColor{"white", {1, 1, 1}},
    NamedColor{"grey", {0.5, 0.5, 0.5}}, NamedColor{"gray", {0.5, 0.5, 0.5}},
    NamedColor{"red", {1, 0, 0}},        NamedColor{"green", {0, 0.5, 0}},
    NamedColor{"blue", {0, 0, 1}},       NamedColor{"yellow", {1, 1, 0}},
    NamedColor{"orange", {1, 0.65, 0}},  NamedColor{"purple", {0.5, 0, 0.5}},
};

/// Reads a colour as #RRGGBB.
std::optional<overlay::Rgb> read_hexadecimal_color(std::string_view text) {
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  std::array<double, 3> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const char* const first = text.data() + 1 + 2 * i;
    unsigned value = 0;
    const auto [end, status] = std::from_chars(first, first + 2, value, 16);
    if (status != std::errc() || end != first + 2) return std::nullopt;
    parts[i] = value / 255.0;
  }
  return overlay::Rgb{parts[0], parts[1], parts[2]};
}

/// Returns the Levenshtein distance of two words.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  // row[j] is the distance from the letters of a so far to the first j letters of b.
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// Returns the word of `known` that begins with `begin`; nothing if there are several, or if
/// `begin` is empty.
std::string only_word_that_begins(std::string_view begin, const std::vector<std::string>& known) {
  const auto fits = [&](const std::string& word) { return word.starts_with(begin); };
  if (begin.empty() || std::ranges::count_if(known, fits) != 1) return {};
  return *std::ranges::find_if(known, fits);
}

}  // namespace

void refuse(const OptionText& given, std::string_view expected) {
  throw Error(ErrorKind::usage, std::string(given.option) + ": '" + std::string(given.text) +
                                    "' is not " + std::string(expected));
}

double parse_number(const OptionText& given, double low, double high) {
  const auto value = read_all<double>(given.text);
  // from_chars reads NaN, too. These comparisons are false for NaN.
  if (value && *value >= low && *value <= high) return *value;
  refuse(given, "a number from " + shown(low) + " to " + shown(high));
}

int parse_integer(const OptionText& given, int low, int high) {
  const auto value = read_all<int>(given.text);
  if (value && *value >= low && *value <= high) return *value;
  refuse(given, "an integer from " + std::to_string(low) + " to " + std::to_string(high));
}

double parse_time(const OptionText& given) {
  constexpr std::string_view kExpected = "a time: seconds, or [HH:]MM:SS[.frac]";
  const std::vector<std::string_view> parts = split(given.text, ':');
  if (parts.size() > 3) refuse(given, kExpected);
  double total = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    const std::optional<double> value =
        last ? read_all<double>(parts[i]) : std::optional<double>(read_all<int>(parts[i]));
    // The first part may be 60 or more: 90:00 is an hour and a half.
    const double limit = i == 0 ? kLongestSeconds : 60;
    if (!value || !(*value >= 0 && *value < limit)) refuse(given, kExpected);
    total = total * 60 + *value;
  }
  if (total > kLongestSeconds) refuse(given, kExpected);
  return total;
}

detector::Looks parse_looks(std::string_view option, const std::vector<std::string>& words) {
  constexpr double kLeast = 0.01;
  detector::Looks looks{{}, false};
  for (const std::string& word : words) {
    const OptionText given{option, word};
    const bool flip = word == "flip";
    const float scale =
        flip ? 0 : static_cast<float>(parse_number(given, kLeast, detector::kLargestLook));
    if (flip ? looks.mirrored : std::ranges::count(looks.scales, scale) > 0)
      refuse(given, "another look than those before it");
    if (flip)
      looks.mirrored = true;
    else
      looks.scales.push_back(scale);
  }
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ",") + word;
  if (looks.scales.empty()) refuse({option, all}, "a list with a scale, such as 1,flip");
  if (looks.scales.size() > detector::kMostLooks)
    refuse({option, all}, "a list of 4 scales at most");
  return looks;
}

Size parse_size(const OptionText& given, int low, int high) {
  const std::vector<std::string_view> parts = split(given.text, 'x');
  const auto side = [&](std::size_t i) { return read_all<int>(parts[i]).value_or(-1); };
  const auto fits = [&](int value) { return value >= low && value <= high; };
  if (parts.size() == 2 && fits(side(0)) && fits(side(1))) return {side(0), side(1)};
  refuse(given,
         "WIDTHxHEIGHT with sides from " + std::to_string(low) + " to " + std::to_string(high));
}

std::pair<std::string, std::string> parse_assignment(const OptionText& given) {
  const std::size_t equals = given.text.find('=');
  if (equals == 0 || equals == std::string_view::npos) refuse(given, "NAME=VALUE");
  return {std::string(given.text.substr(0, equals)), std::string(given.text.substr(equals + 1))};
}

std::string joined(const std::vector<std::string_view>& words) { return joined_by(words, ", "); }

std::string joined(std::vector<std::string_view> words, std::string_view before_last) {
  const std::string_view last = words.back();
  words.pop_back();
  return joined(words).append(before_last).append(last);
}

std::string one_of(const std::vector<std::string_view>& words, std::string_view text) {
  const std::string meant = near_miss(text, {words.begin(), words.end()});
  return "one of " + joined(words) + (meant.empty() ? "" : "; did you mean " + meant + "?");
}

std::string draw_words() {
  std::vector<std::string_view> words;
  for (const overlay::OverlayPart& part : overlay::kOverlayParts) words.push_back(part.name);
  return joined(words);
}

overlay::OverlayStyle parse_draw(std::string_view option, const std::vector<std::string>& words) {
  overlay::OverlayStyle style = overlay::kNoOverlay;
  if (words.size() == 1 && words.front() == "none") return style;
  std::vector<std::pair<std::string_view, bool overlay::OverlayStyle::*>> parts;
  for (const overlay::OverlayPart& part : overlay::kOverlayParts)
    parts.emplace_back(part.name, part.drawn);
  for (const std::string& word : words) style.*parse_choice({option, word}, parts) = true;
  if (!style.any()) refuse({option, ""}, draw_words() + " or none");
  return style;
}

overlay::Rgb parse_color(const OptionText& given) {
  const auto* const named = std::ranges::find(kColors, given.text, &NamedColor::name);
  if (named != kColors.end()) return named->rgb;
  if (const std::optional<overlay::Rgb> rgb = read_hexadecimal_color(given.text)) return *rgb;
  std::vector<std::string_view> names;
  for (const NamedColor& color : kColors) names.push_back(color.name);
  refuse(given, "a colour: #RRGGBB, or " + one_of(names, given.text));
}

HideStyleChoice parse_hide_style(const OptionText& given) {
  const std::size_t colon = given.text.find(':');
  const bool alone = colon == std::string_view::npos;
  const std::string_view word = given.text.substr(0, colon);
  const std::string_view rest = alone ? std::string_view() : given.text.substr(colon + 1);
  HideStyleChoice choice;
  if (word == "solid") {
    if (!alone) choice.color = parse_color({given.option, rest});
    return choice;
  }
  if (word == "image" && !rest.empty()) {
    choice.style = overlay::HideStyle::image;
    choice.image_file = rest;
    return choice;
  }
  choice.style = word == "blur" ? overlay::HideStyle::blur : overlay::HideStyle::mosaic;
  if (alone && (word == "blur" || word == "mosaic")) return choice;
  const std::string meant = near_miss(word, {"solid", "blur", "mosaic", "image"});
  refuse(given, "one of solid, solid:COLOUR, blur, mosaic, image:FILE" +
                    (meant.empty() || meant == word ? "" : "; did you mean " + meant + "?"));
}

pipeline::TimeSpan parse_span(const OptionText& given) {
  constexpr std::string_view kExpected = "FROM-TO: two times, or one and a dash";
  const std::size_t dash = given.text.find('-');
  if (dash == std::string_view::npos || given.text.size() == 1) refuse(given, kExpected);
  const std::string_view from = given.text.substr(0, dash);
  const std::string_view to = given.text.substr(dash + 1);
  pipeline::TimeSpan span;
  if (!from.empty()) span.from_s = parse_time({given.option, from});
  if (!to.empty()) span.to_s = parse_time({given.option, to});
  if (span.to_s && *span.to_s <= span.from_s.value_or(0)) refuse(given, kExpected);
  return span;
}

pipeline::Region parse_region(const OptionText& given) {
  const auto [name, rest] = parse_assignment(given);
  const std::size_t at = rest.find('@');
  const std::string place = rest.substr(0, at);
  const std::vector<std::string_view> parts = split(place, ',');
  std::vector<int> numbers;
  for (const std::string_view part : parts) {
    const auto number = read_all<int>(part);
    if (number && *number >= 0 && *number <= kMaxPictureSide) numbers.push_back(*number);
  }
  if (parts.size() != 4 || numbers.size() != 4 || numbers[2] == 0 || numbers[3] == 0)
    refuse(given, "NAME=x,y,w,h[@FROM-TO] in pixels");
  pipeline::Region region;
  region.name = name;
  region.box = {static_cast<float>(numbers[0]), static_cast<float>(numbers[1]),
                static_cast<float>(numbers[0] + numbers[2]),
                static_cast<float>(numbers[1] + numbers[3])};
  if (at != std::string::npos) region.when = parse_span({given.option, rest.substr(at + 1)});
  return region;
}

std::string near_miss(std::string_view word, const std::vector<std::string>& known) {
  std::size_t least = (word.size() + 1) / 3 + 1;
  std::string nearest;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest.empty() ? only_word_that_begins(word, known) : nearest;
}

}  // namespace facepipe::app
