// Finds out whether an input says that its pictures are stored turned or mirrored.
#pragma once

#include "core/geometry.h"
#include "video/ffmpeg.h"
#include "video/notices.h"
#include "video/read/demuxer.h"

namespace facepipe::video {

/// Returns how the input says that pictures are turned. Asks the stream first, then the picture,
/// then the file. An angle that isn't a quarter turn causes a notice and counts as upright. Must be
/// called after the packet of `picture` has been read.
[[nodiscard]] Orientation orientation_of(const Demuxer& demuxer, const AVFrame& picture,
                                         Notices& notices);

/// Returns whether it is known before the first packet that pictures are stored turned or mirrored.
[[nodiscard]] bool is_turned(const Demuxer& demuxer);

}  // namespace facepipe::video
