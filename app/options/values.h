// Reads the text of one option: numbers, times, sizes, colours, lists; and tells which known word a
// misspelt one may mean. Knows nothing of the command line.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/geometry.h"
#include "overlay/hide.h"
#include "overlay/overlay.h"
#include "overlay/yuv_color.h"
#include "pipeline/job_options.h"

namespace facepipe::app {

/// What was given for an option. Each function below throws Error(usage), naming the option and
/// the text, for what it can't read.
struct OptionText {
  std::string_view option;  ///< "--score"
  std::string_view text;
};

/// Throws Error(usage): "OPTION: 'TEXT' is not EXPECTED".
[[noreturn]] void refuse(const OptionText& given, std::string_view expected);

/// A finite number, low <= number <= high.
[[nodiscard]] double parse_number(const OptionText& given, double low, double high);

/// A decimal integer, low <= number <= high; "010" is ten.
[[nodiscard]] int parse_integer(const OptionText& given, int low, int high);

/// Seconds ("12.5") or [HH:]MM:SS[.frac] ("1:02:03.5"), not negative.
[[nodiscard]] double parse_time(const OptionText& given);

/// WIDTHxHEIGHT in pixels, each of low..high.
[[nodiscard]] Size parse_size(const OptionText& given, int low, int high);

/// NAME=VALUE; the name is not empty, the value may hold anything, '=' included.
[[nodiscard]] std::pair<std::string, std::string> parse_assignment(const OptionText& given);

/// "one, two, three".
[[nodiscard]] std::string joined(const std::vector<std::string_view>& words);

/// The names of kOverlayParts, joined.
[[nodiscard]] std::string draw_words();

/// Names of kOverlayParts, or "none" alone.
[[nodiscard]] overlay::OverlayStyle parse_draw(std::string_view option,
                                               const std::vector<std::string>& words);

/// A name (black, white, grey, ...) or #RRGGBB, hexadecimal.
[[nodiscard]] overlay::Rgb parse_color(const OptionText& given);

/// What hides faces, as far as its text tells: an image is yet to be read.
struct HideStyleChoice {
  overlay::HideStyle style = overlay::HideStyle::solid;
  overlay::Rgb color{};    ///< of solid; black where none is named
  std::string image_file;  ///< of image; not empty
};

/// solid, solid:COLOUR, blur, mosaic or image:FILE; the file's name may hold anything.
[[nodiscard]] HideStyleChoice parse_hide_style(const OptionText& given);

/// A name of kMaskShapes.
[[nodiscard]] overlay::MaskShape parse_mask_shape(const OptionText& given);

/// FROM-TO, as parse_time() reads them; one of both may be left out. FROM is less than TO.
[[nodiscard]] pipeline::TimeSpan parse_span(const OptionText& given);

/// NAME=x,y,w,h[@FROM-TO]: whole pixels, w and h over 0, all at most kMaxPictureSide; the name is
/// not empty.
[[nodiscard]] pipeline::Region parse_region(const OptionText& given);

/// A share of the face's width and height, 0..kMostGrow.
[[nodiscard]] double parse_grow(const OptionText& given);

/// The value beside the word that was given.
template <typename T>
[[nodiscard]] T parse_choice(const OptionText& given,
                             const std::vector<std::pair<std::string_view, T>>& choices) {
  const auto found = std::find_if(choices.begin(), choices.end(),
                                  [&](const auto& choice) { return choice.first == given.text; });
  if (found != choices.end()) return found->second;
  std::vector<std::string_view> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  refuse(given, "one of " + joined(words));
}

/// The one of `known` that takes the fewest letters inserted, deleted or replaced to make from
/// `word`, the first of equals; empty where even that takes more than about a third of its letters.
[[nodiscard]] std::string near_miss(std::string_view word, const std::vector<std::string>& known);

}  // namespace facepipe::app
