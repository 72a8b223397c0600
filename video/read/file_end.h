// Examines the end of a file by its structure, which may differ from what the header promises.
#pragma once

#include <cstdint>
#include <string>

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Returns why a file of the MP4 or Matroska family isn't complete: it ends within an element that
/// holds pictures or sound. Returns an empty string if it is complete, and if that can't be known:
/// another format, a file that can't be sought. In MP4, streams that FFmpeg discards don't count.
/// Must be called when everything has been read. The reading position is lost.
/// @param last_place  place in the file of the packet that lies last (AVPacket::pos); negative if
///                    unknown
[[nodiscard]] std::string torn_end(AVFormatContext& input, std::int64_t last_place);

/// Returns whether a RIFF file (AVI) is shorter than its chunks say. Must be called when everything
/// has been read. The reading position is lost.
[[nodiscard]] bool is_torn_riff(AVFormatContext& input);

}  // namespace facepipe::video
