// Removes words and pictures from codecs' headers, because they may tell of people and places. Also
// decides whether a file is really a font.
#pragma once

#include <string>

#include "video/bitstream/byte_reader.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Returns whether a file is an OpenType font, or a collection of them, and holds little else:
/// nearly all its bytes belong to the tables of the fonts.
[[nodiscard]] bool is_font(Bytes file);

/// Returns whether clean_header() can tell a header's words from what decoders need.
[[nodiscard]] bool can_clean_header(const AVCodecParameters& parameters);

/// Leaves in a header what decoders need. Vorbis and Theora lose their comments with the pictures
/// in them. FLAC and Opus lose everything except the facts of the sound. ASS loses its title,
/// names, comments, pictures and fonts. Other text subtitles lose their whole header, and so does a
/// header that can_clean_header() refuses. Returns a description of what was lost; empty if nothing
/// with a meaning was lost.
std::string clean_header(AVCodecParameters& parameters);

/// Replaces a header (extradata) by a copy of these bytes; removes it if there are none.
void set_header(AVCodecParameters& parameters, Bytes header);

}  // namespace facepipe::video
