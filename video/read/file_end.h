// Examines the structure at the end of a file, because the file can be shorter than its header
// promises.
#pragma once

#include <cstdint>
#include <string>

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Returns why a file of the MP4 or Matroska family is incomplete: it ends within an element that
/// contains pictures or sound. Returns an empty text if the file is complete, or if that can't be
/// known (for other formats, and for files that don't support seeking). In MP4, streams that FFmpeg
/// discards are ignored. Must be called when everything has been read. The reading position is
/// lost.
/// @param last_place  largest AVPacket::pos of all packets; negative if unknown
[[nodiscard]] std::string torn_end(AVFormatContext& input, std::int64_t last_place);

/// Returns whether a RIFF file (AVI) is shorter than its chunks state. Must be called when
/// everything has been read. The reading position is lost.
[[nodiscard]] bool is_torn_riff(AVFormatContext& input);

}  // namespace facepipe::video
