// Words and pictures within codecs' headers, which may tell of people and places; and what is
// really a font.
#pragma once

#include <string>

#include "video/bitstream/byte_reader.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Whether a file is a font of OpenType's kind (or a collection of them), and little else: nearly
/// all bytes belong to its tables.
[[nodiscard]] bool is_font(Bytes file);

/// Whether clean_header() can tell a header's words from what decoders need.
[[nodiscard]] bool can_clean_header(const AVCodecParameters& parameters);

/// Leaves in a header what decoders need: Vorbis and Theora lose their comments, with the pictures
/// in them, FLAC and Opus all but the facts of the sound, ASS its title, names, comments, pictures
/// and fonts, other text subtitles their whole header. Returns what was lost in words; empty where
/// nothing was that says anything. A header that can_clean_header() refuses goes as a whole.
std::string clean_header(AVCodecParameters& parameters);

/// Replaces a header (extradata) by a copy of these bytes; by none where they are empty.
void set_header(AVCodecParameters& parameters, Bytes header);

}  // namespace facepipe::video
