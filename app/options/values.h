// Reads the text of one option, such as a number, a time, a size, a colour or a list. near_miss()
// finds the known word that a misspelt word may mean. None of these functions depends on the
// command line.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/geometry.h"
#include "detector/looks.h"
#include "overlay/hide.h"
#include "overlay/overlay.h"
#include "overlay/yuv_color.h"
#include "pipeline/job_options.h"

namespace facepipe::app {

/// Holds the text that a user gave for an option. If a function below can't read the text, it
/// throws Error(usage), which names the option and the text.
struct OptionText {
  std::string_view option;  ///< "--score"
  std::string_view text;
};

/// Throws Error(usage): "OPTION: 'TEXT' is not EXPECTED".
[[noreturn]] void refuse(const OptionText& given, std::string_view expected);

/// Reads a finite number, low <= number <= high.
[[nodiscard]] double parse_number(const OptionText& given, double low, double high);

/// Reads a decimal integer, low <= number <= high; "010" is ten.
[[nodiscard]] int parse_integer(const OptionText& given, int low, int high);

/// Reads seconds ("12.5") or [HH:]MM:SS[.frac] ("1:02:03.5"). The time is not negative.
[[nodiscard]] double parse_time(const OptionText& given);

/// Reads WIDTHxHEIGHT in pixels; each side is low..high.
[[nodiscard]] Size parse_size(const OptionText& given, int low, int high);

/// Reads scales of looks and "flip": {"1", "0.5", "flip"}. There is a scale, and nothing comes
/// twice.
[[nodiscard]] detector::Looks parse_looks(std::string_view option,
                                          const std::vector<std::string>& words);

/// Reads NAME=VALUE. The name is not empty; the value may hold anything, also '='.
[[nodiscard]] std::pair<std::string, std::string> parse_assignment(const OptionText& given);

/// Returns the words as "one, two, three".
[[nodiscard]] std::string joined(const std::vector<std::string_view>& words);

/// Returns the words as "one, two or three" if `before_last` is " or ". There must be at least two
/// words.
[[nodiscard]] std::string joined(std::vector<std::string_view> words, std::string_view before_last);

/// Returns the names of kOverlayParts, joined.
[[nodiscard]] std::string draw_words();

/// Reads names of kOverlayParts; or "none", which must be the only word.
[[nodiscard]] overlay::OverlayStyle parse_draw(std::string_view option,
                                               const std::vector<std::string>& words);

/// Reads a name (black, white, grey, ...) or #RRGGBB in hexadecimal digits.
[[nodiscard]] overlay::Rgb parse_color(const OptionText& given);

/// Says how faces are hidden, as the user's text says it. If it names an image, the file has not
/// been read yet.
struct HideStyleChoice {
  overlay::HideStyle style = overlay::HideStyle::solid;
  overlay::Rgb color{};    ///< only for solid; black unless the text names a colour
  std::string image_file;  ///< only for image, which always has a file
};

/// Reads solid, solid:COLOUR, blur, mosaic or image:FILE. The file's name may contain anything.
[[nodiscard]] HideStyleChoice parse_hide_style(const OptionText& given);

/// Reads FROM-TO; each is a time as parse_time() reads it. One of them may be missing. FROM must be
/// less than TO.
[[nodiscard]] pipeline::TimeSpan parse_span(const OptionText& given);

/// Reads NAME=x,y,w,h[@FROM-TO] in whole pixels. All numbers must be at most kMaxPictureSide, w and
/// h must be above 0, and the name must not be empty.
[[nodiscard]] pipeline::Region parse_region(const OptionText& given);

/// Returns "one of blur, mosaic"; and "; did you mean blur?" if `text` is nearly one of the words.
[[nodiscard]] std::string one_of(const std::vector<std::string_view>& words, std::string_view text);

/// Returns the value that belongs to the word that the user gave.
template <typename T>
[[nodiscard]] T parse_choice(const OptionText& given,
                             const std::vector<std::pair<std::string_view, T>>& choices) {
  const auto found = std::find_if(choices.begin(), choices.end(),
                                  [&](const auto& choice) { return choice.first == given.text; });
  if (found != choices.end()) return found->second;
  std::vector<std::string_view> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  refuse(given, one_of(words, given.text));
}

/// Returns the word of `known` that is nearest to `word`: the fewest letters must be inserted,
/// deleted or replaced. Of several such words, returns the first. If more than about a third of
/// the letters would change, returns the only word that begins with `word`, or nothing.
[[nodiscard]] std::string near_miss(std::string_view word, const std::vector<std::string>& known);

}  // namespace facepipe::app
