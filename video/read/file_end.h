// What the structure of a file tells of its end, whatever the header promises.
#pragma once

#include <cstdint>
#include <string>

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Why a file of the MP4 or Matroska family isn't whole: it ends within something that holds
/// pictures or sound. Empty where it is whole, and where that can't be told: another format, a file
/// that can't be sought. Streams that FFmpeg discards don't count in MP4. To be called when
/// everything has been read; the reading position is lost.
/// @param last_place  where in the file the packet lies that is furthest behind (AVPacket::pos);
///                    negative if unknown
[[nodiscard]] std::string torn_end(AVFormatContext& input, std::int64_t last_place);

/// Whether a RIFF file (AVI) is shorter than its chunks say; as above.
[[nodiscard]] bool is_torn_riff(AVFormatContext& input);

}  // namespace facepipe::video
