// Words and pictures within codecs' headers, which may tell of people and places; and what is
// really a font.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "video/ffmpeg.h"

namespace facepipe {

using HeaderBytes = std::span<const std::uint8_t>;

/// The header (extradata) of a stream, of an attachment its file; empty where it has none.
[[nodiscard]] HeaderBytes header_of(const AVCodecParameters& parameters);

/// Whether a file is a font of OpenType's kind (or a collection of them), and little else: nearly
/// all bytes belong to its tables.
[[nodiscard]] bool is_font(HeaderBytes file);

/// Whether clean_header() can tell a header's words from what decoders need.
[[nodiscard]] bool can_clean_header(const AVCodecParameters& parameters);

/// Leaves in a header what decoders need: Vorbis and Theora lose their comments, with the pictures
/// in them, FLAC and Opus all but the facts of the sound, ASS its title, names, comments, pictures
/// and fonts, other text subtitles their whole header. Returns what was lost in words; empty where
/// nothing was that says anything. A header that can_clean_header() refuses goes as a whole.
std::string clean_header(AVCodecParameters& parameters);

}  // namespace facepipe
