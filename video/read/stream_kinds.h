// What a stream of an input is: a cover, subtitles of text or of pictures.
#pragma once

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Whether a stream of pictures is no video: a cover, another attached picture, or thumbnails.
[[nodiscard]] bool is_attached_picture(const AVStream& stream);

/// Whether a stream's packets are text.
[[nodiscard]] bool is_text_subtitle(const AVStream& stream);
/// Whether a stream's packets are pictures of text.
[[nodiscard]] bool is_bitmap_subtitle(const AVStream& stream);

}  // namespace facepipe::video
