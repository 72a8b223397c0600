#include "video/write/places.h"

#include <array>
#include <cstddef>
#include <string>

namespace facepipe::video {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

/// Returns a text in lower case, without zero bytes (which UTF-16 has).
std::string simplified(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c == '\0') continue;
    result.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return result;
}

/// Describes the decimal number at a position of a text.
struct Number {
  std::size_t size = 0;  ///< number of characters; 0 if there is no number
  std::size_t decimals = 0;
};

Number number_at(std::string_view text, std::size_t at) {
  const std::size_t begin = at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  const std::size_t digits = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  if (at == digits) return {};
  if (at + 1 >= text.size() || text[at] != '.' || !is_digit(text[at + 1])) return {at - begin, 0};
  const std::size_t decimals = ++at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return {at - begin, at - decimals};
}

std::size_t skip(std::string_view text, std::size_t at, std::string_view any_of) {
  while (at < text.size() && any_of.find(text[at]) != std::string_view::npos) ++at;
  return at;
}

/// Returns whether a word such as "latitude" is followed by a decimal number, with only punctuation
/// between.
bool names_number(std::string_view text) {
  constexpr std::array<std::string_view, 8> kWords{"gps",  "latitude", "longitude", "longtitude",
                                                   "home", "lat",      "lon",       "lng"};
  for (const std::string_view word : kWords) {
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
      const bool whole = at == 0 || !is_letter(text[at - 1]);
      const std::size_t behind = at + word.size();
      const std::size_t value = skip(text, behind, " \t\"'([:=");
      const bool marked =
          text.substr(behind, value - behind).find_first_of("([:=") != std::string_view::npos;
      if (whole && marked && number_at(text, value).decimals > 0) return true;
    }
  }
  return false;
}

/// Returns whether a text contains a sentence in the format of GPS receivers:
/// "$GPGGA,123519,4807.038,N,...".
bool holds_receivers_sentence(std::string_view text) {
  for (std::size_t at = text.find("$g"); at != std::string_view::npos; at = text.find("$g", at + 1))
    if (at + 6 < text.size() && text[at + 6] == ',' && is_letter(text[at + 2]) &&
        is_letter(text[at + 5]))
      return true;
  return false;
}

/// Returns whether a text contains a degree sign (UTF-8 or Latin-1) with a compass letter nearby:
/// "47°22'33\"N", "N 47.3°".
bool holds_degrees(std::string_view text) {
  constexpr std::size_t kNearby = 16;
  for (std::size_t at = text.find('\xB0'); at != std::string_view::npos;
       at = text.find('\xB0', at + 1)) {
    const std::size_t sign = at > 0 && text[at - 1] == '\xC2' ? at - 1 : at;
    if (sign == 0 || !is_digit(text[sign - 1])) continue;
    const std::size_t from = at > kNearby ? at - kNearby : 0;
    for (std::size_t i = from; i < text.size() && i < at + kNearby; ++i) {
      const bool compass = std::string_view("nsew").find(text[i]) != std::string_view::npos;
      const bool alone =
          (i == 0 || !is_letter(text[i - 1])) && (i + 1 >= text.size() || !is_letter(text[i + 1]));
      if (compass && alone) return true;
    }
  }
  return false;
}

/// Returns whether a text contains two numbers with many decimals next to each other: "47.37690,
/// 8.54170", "+47.3769+008.5417/".
bool holds_pair(std::string_view text) {
  constexpr std::size_t kManyDecimals = 4;
  for (std::size_t at = 0; at < text.size();) {
    const Number first = number_at(text, at);
    if (first.size == 0) {
      ++at;
      continue;
    }
    at += first.size;
    if (first.decimals < kManyDecimals) continue;
    const std::size_t next = skip(text, at, " \t,;/|");
    if (next - at <= 4 && number_at(text, next).decimals >= kManyDecimals) return true;
  }
  return false;
}

}  // namespace

bool names_place(std::string_view text) {
  const std::string simple = simplified(text);
  return names_number(simple) || holds_receivers_sentence(simple) || holds_degrees(simple) ||
         holds_pair(simple);
}

}  // namespace facepipe::video
