// How an input says that its pictures are stored: turned or mirrored.
#pragma once

#include "core/geometry.h"
#include "video/ffmpeg.h"
#include "video/notices.h"
#include "video/read/demuxer.h"

namespace facepipe::video {

/// How the input says that pictures are turned: the stream, else the picture, else the file. An
/// angle that is no quarter turn is told, and taken as upright. Called once the packet of `picture`
/// has been read.
[[nodiscard]] Orientation orientation_of(const Demuxer& demuxer, const AVFrame& picture,
                                         Notices& notices);

/// Whether it is known before the first packet that pictures are stored turned or mirrored.
[[nodiscard]] bool is_turned(const Demuxer& demuxer);

}  // namespace facepipe::video
