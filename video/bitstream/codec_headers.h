// Removes texts and pictures from codecs' headers, because they may say something about people and
// places. Also decides whether a file is really a font.
#pragma once

#include <string>

#include "video/bitstream/byte_reader.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Returns whether a file is an OpenType font, or a collection of them, and contains little else:
/// nearly all its bytes must belong to the tables of the fonts.
[[nodiscard]] bool is_font(Bytes file);

/// Returns whether clean_header() can distinguish a header's texts from the data that decoders
/// need.
[[nodiscard]] bool can_clean_header(const AVCodecParameters& parameters);

/// Removes from a header all data that decoders don't need. Vorbis and Theora lose their comments,
/// and the pictures in them. FLAC and Opus keep only the facts about the sound. ASS and DVD
/// subtitles keep what subtitle_headers.h knows. 3GPP Timed Text (MP4) keeps its numbers and the
/// names of fonts. Other text subtitles lose their whole header. A
/// header for which can_clean_header() is false is also removed completely. Returns a description
/// of what was lost; empty if nothing meaningful was lost.
std::string clean_header(AVCodecParameters& parameters);

/// Replaces a header (extradata) by a copy of these bytes; removes it if there are no bytes.
void set_header(AVCodecParameters& parameters, Bytes header);

}  // namespace facepipe::video
