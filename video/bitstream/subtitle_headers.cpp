#include "video/bitstream/subtitle_headers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "video/bitstream/packet_bytes.h"

namespace facepipe::video {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::string_view kLineBreaks("\r\n\0", 3);  // players end a line at each of them
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
constexpr std::size_t kLongestNumber = 16;  // "100.000000000000", so a number can't hold a text

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.remove_suffix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
    text.remove_prefix(1);
  return text;
}

/// Removes the text before the first of `ends` from `text`, together with this character. Returns
/// it without the blanks around it.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::size_t end = text.find_first_of(ends);
  const std::string_view piece = trimmed(text.substr(0, end));
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return piece;
}

bool is_same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char left, unsigned char right) {
    return std::tolower(left) == std::tolower(right);
  });
}

/// Returns the word of the list that differs from `text` at most in its case; nullopt if there is
/// none.
std::optional<std::string_view> known_word(std::string_view text, Words words) {
  const auto found =
      std::ranges::find_if(words, [&](std::string_view word) { return is_same_word(word, text); });
  return found == words.end() ? std::nullopt : std::optional(*found);
}

bool consists_of(std::string_view text, std::string_view letters) {
  return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos;
}

/// Returns whether the text is a decimal number such as "-1" or "20.5".
bool is_decimal(std::string_view text) {
  if (text.size() > kLongestNumber) return false;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return consists_of(text, kDigits);
  return consists_of(text.substr(0, point), kDigits) &&
         (point + 1 == text.size() || consists_of(text.substr(point + 1), kDigits));
}

/// Returns whether the text is a colour of ASS such as "&H00FFFFFF" or "&Hffffff&".
bool is_ass_colour(std::string_view text) {
  constexpr std::size_t kMostDigits = 8;
  if (!text.starts_with("&H") && !text.starts_with("&h")) return false;
  text.remove_prefix(2);
  if (text.ends_with('&')) text.remove_suffix(1);
  return text.size() <= kMostDigits && consists_of(text, kHexDigits);
}

// ---- ASS ----

enum class AssSection { unknown, script_info, styles, events };

struct NamedSection {
  std::string_view title;
  AssSection section;
};

constexpr std::array kAssSections{NamedSection{"[Script Info]", AssSection::script_info},
                                  NamedSection{"[V4 Styles]", AssSection::styles},
                                  NamedSection{"[V4+ Styles]", AssSection::styles},
                                  NamedSection{"[V4 Styles+]", AssSection::styles},
                                  NamedSection{"[Events]", AssSection::events}};

/// A field of [Script Info] that says how text is laid out.
struct LayoutField {
  std::string_view name;
  Words words;  ///< the values that the field can have; if there are none, the value is a number
};

constexpr std::array<std::string_view, 3> kScriptTypes{"v4.00", "v4.00+", "v4.00++"};
constexpr std::array<std::string_view, 2> kCollisions{"Normal", "Reverse"};
constexpr std::array<std::string_view, 2> kYesOrNo{"yes", "no"};
constexpr std::array<std::string_view, 9> kMatrices{
    "None", "TV.601", "PC.601", "TV.709", "PC.709", "TV.FCC", "PC.FCC", "TV.240M", "PC.240M"};
constexpr std::array kLayoutFields{LayoutField{"ScriptType", kScriptTypes},
                                   LayoutField{"PlayResX", {}},
                                   LayoutField{"PlayResY", {}},
                                   LayoutField{"LayoutResX", {}},
                                   LayoutField{"LayoutResY", {}},
                                   LayoutField{"PlayDepth", {}},
                                   LayoutField{"WrapStyle", {}},
                                   LayoutField{"Timer", {}},
                                   LayoutField{"Collisions", kCollisions},
                                   LayoutField{"ScaledBorderAndShadow", kYesOrNo},
                                   LayoutField{"YCbCr Matrix", kMatrices}};

/// The columns of styles, in the order of [V4+ Styles] without a line "Format:". Columns that only
/// other versions have follow.
constexpr std::array<std::string_view, 27> kStyleColumns{
    "Name",           "Fontname", "Fontsize", "PrimaryColour", "SecondaryColour", "OutlineColour",
    "BackColour",     "Bold",     "Italic",   "Underline",     "StrikeOut",       "ScaleX",
    "ScaleY",         "Spacing",  "Angle",    "BorderStyle",   "Outline",         "Shadow",
    "Alignment",      "MarginL",  "MarginR",  "MarginV",       "Encoding",        "AlphaLevel",
    "TertiaryColour", "Blur",     "Justify"};
constexpr std::size_t kColumnsOfV4Plus = 23;
constexpr std::array<std::string_view, 18> kColumnsOfV4{
    "Name",       "Fontname", "Fontsize", "PrimaryColour", "SecondaryColour", "TertiaryColour",
    "BackColour", "Bold",     "Italic",   "BorderStyle",   "Outline",         "Shadow",
    "Alignment",  "MarginL",  "MarginR",  "MarginV",       "AlphaLevel",      "Encoding"};
constexpr std::array<std::string_view, 15> kEventColumns{
    "Layer",   "Marked",  "ReadOrder", "Start",   "End",     "Style",  "Name", "Actor",
    "MarginL", "MarginR", "MarginV",   "MarginT", "MarginB", "Effect", "Text"};

/// A column of a section's lines; nullopt if it isn't known.
using Column = std::optional<std::string_view>;

/// Cleans a header line by line.
class AssCleaner {
 public:
  void add(std::string_view line) {
    if (line.empty()) return;
    if (line.starts_with('['))
      begin_section(line);
    else
      add_field(line);
  }

  [[nodiscard]] CleanedText take() { return std::move(cleaned_); }

 private:
  /// Keeps a line, or notes that it is lost.
  void keep(const std::optional<std::string>& line) {
    if (line)
      cleaned_.header.append(*line).append("\r\n");
    else
      cleaned_.lost = true;
  }

  void begin_section(std::string_view line) {
    const auto* const found = std::ranges::find_if(
        kAssSections, [&](const NamedSection& known) { return is_same_word(known.title, line); });
    const bool known = found != kAssSections.end();
    section_ = known ? found->section : AssSection::unknown;
    columns_.clear();
    if (known && found->title == "[V4 Styles]")
      columns_.assign(kColumnsOfV4.begin(), kColumnsOfV4.end());
    else
      columns_.assign(kStyleColumns.begin(), kStyleColumns.begin() + kColumnsOfV4Plus);
    keep(known ? std::optional(std::string(found->title)) : std::nullopt);
  }

  void add_field(std::string_view line) {
    const std::string_view name = take_until(line, ":");
    if (section_ == AssSection::script_info)
      keep(layout(name, trimmed(line)));
    else if (section_ == AssSection::styles && is_same_word(name, "Style"))
      keep(style(line));
    else if (section_ == AssSection::styles && is_same_word(name, "Format"))
      keep(format(line, kStyleColumns));
    else if (section_ == AssSection::events && is_same_word(name, "Format"))
      keep(format(line, kEventColumns));
    else
      keep(std::nullopt);
  }

  static std::optional<std::string> layout(std::string_view name, std::string_view value) {
    const auto* const field = std::ranges::find_if(
        kLayoutFields, [&](const LayoutField& known) { return is_same_word(known.name, name); });
    if (field == kLayoutFields.end()) return std::nullopt;
    const std::optional<std::string_view> word = known_word(value, field->words);
    if (!word && !(field->words.empty() && is_decimal(value))) return std::nullopt;
    return std::string(field->name).append(": ").append(word.value_or(value));
  }

  /// Reads the columns of the lines that follow.
  std::optional<std::string> format(std::string_view names, Words known) {
    columns_.clear();
    std::string line;
    while (!names.empty()) {
      columns_.push_back(known_word(take_until(names, ","), known));
      if (!columns_.back())
        cleaned_.lost = true;
      else
        line.append(line.empty() ? "Format: " : ", ").append(*columns_.back());
    }
    return line.empty() ? std::nullopt : std::optional(std::move(line));
  }

  std::optional<std::string> style(std::string_view values) {
    std::string line;
    bool more = !values.empty();  // after a comma, there is a value, even if it is empty
    for (const Column& column : columns_) {
      if (!more) break;
      more = values.find(',') != std::string_view::npos;
      const std::string_view value = take_until(values, ",");
      if (!column) {
        cleaned_.lost |= !value.empty();
        continue;
      }
      if (!is_style_value(*column, value)) return std::nullopt;
      line.append(line.empty() ? "Style: " : ",").append(value);
    }
    cleaned_.lost |= !trimmed(values).empty();
    return line.empty() ? std::nullopt : std::optional(std::move(line));
  }

  static bool is_style_value(std::string_view column, std::string_view value) {
    if (column == "Name" || column == "Fontname")
      return std::ranges::none_of(value,
                                  [](unsigned char letter) { return std::iscntrl(letter) != 0; });
    return value.empty() || is_decimal(value) || is_ass_colour(value);
  }

  CleanedText cleaned_;
  AssSection section_ = AssSection::unknown;
  std::vector<Column> columns_;
};

// ---- DVD subtitles ----

constexpr std::array<std::string_view, 11> kDvdFields{
    "size",  "org",     "scale",         "alpha",       "smooth",     "fadein/out",
    "align", "palette", "custom colors", "forced subs", "time offset"};
constexpr std::array<std::string_view, 12> kDvdWords{"ON",     "OFF",    "OLD",   "at",
                                                     "LEFT",   "CENTER", "RIGHT", "TOP",
                                                     "MIDDLE", "BOTTOM", "tridx", "colors"};

bool is_dvd_word(std::string_view word) {
  constexpr std::size_t kColour = 6;
  return known_word(word, kDvdWords) || consists_of(word, "0123456789x%.+-") ||
         (word.size() == kColour && consists_of(word, kHexDigits));
}

/// Returns whether the value has only numbers, colours and known words.
bool is_dvd_value(std::string_view value) {
  while (!value.empty()) {
    const std::string_view word = take_until(value, " ,:");
    if (!word.empty() && (word.size() > kLongestNumber || !is_dvd_word(word))) return false;
  }
  return true;
}

}  // namespace

CleanedText clean_ass_header(Bytes header) {
  std::string_view rest = text_of(header);
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  AssCleaner cleaner;
  while (!rest.empty()) cleaner.add(take_until(rest, kLineBreaks));
  return cleaner.take();
}

CleanedText clean_dvd_header(Bytes header) {
  CleanedText cleaned;
  std::string_view rest = text_of(header);
  while (!rest.empty()) {
    const std::string_view line = take_until(rest, kLineBreaks);
    std::string_view value = line;
    const std::optional<std::string_view> name = known_word(take_until(value, ":"), kDvdFields);
    value = trimmed(value);
    if (name && is_dvd_value(value))
      cleaned.header.append(*name).append(": ").append(value).append("\n");
    else
      cleaned.lost |= !line.empty();
  }
  return cleaned;
}

}  // namespace facepipe::video
