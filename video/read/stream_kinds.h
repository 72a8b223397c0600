// Recognises kinds of streams: covers, subtitles of text, subtitles of pictures.
#pragma once

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Returns whether a stream of pictures isn't a video but a cover, another attached picture, or
/// thumbnails.
[[nodiscard]] bool is_attached_picture(const AVStream& stream);

/// Returns whether the stream is subtitles whose packets are text.
[[nodiscard]] bool is_text_subtitle(const AVStream& stream);
/// Returns whether the stream is subtitles whose packets are pictures of text.
[[nodiscard]] bool is_bitmap_subtitle(const AVStream& stream);

}  // namespace facepipe::video
