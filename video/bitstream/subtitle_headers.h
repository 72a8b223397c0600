// Cleans the headers of subtitles. A header is text that anybody can write, so it may say something
// about people and places. What is not known here is left out.
#pragma once

#include <string>

#include "video/bitstream/byte_reader.h"

namespace facepipe::video {

/// Holds a cleaned header. The same function changes a cleaned header no more.
struct CleanedText {
  std::string header;
  bool lost = false;  ///< the header contained something that `header` doesn't say
};

/// Keeps the styles and the layout of an ASS or SSA header: the sections [Script Info], [V4
/// Styles], [V4+ Styles] and [Events], of their lines those whose fields are known, and of a style
/// the columns that are known. A value must be a number, a colour or a known word. Only the names
/// of styles and of fonts are free text. A style with another value is left out.
[[nodiscard]] CleanedText clean_ass_header(Bytes header);

/// Keeps the palette and the layout of DVD subtitles, for example "size: 720x480". A value must
/// consist of numbers, colours and known words.
[[nodiscard]] CleanedText clean_dvd_header(Bytes header);

}  // namespace facepipe::video
