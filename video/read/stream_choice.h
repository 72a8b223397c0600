// Chooses which of an input's streams is its video.
#pragma once

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Returns the index of the video stream to work on; -1 if there is none. Covers and thumbnails
/// don't count. If there are several streams, these merits decide, in this order:
/// * FFmpeg found the size of its pictures, and has a decoder for it;
/// * it isn't meant for people with impairments, and doesn't depend on another stream;
/// * the file marks it as its default;
/// * its pictures are the largest;
/// * it has colours; pictures of depth or transparency have only greys;
/// * it is the first.
/// Must be called after avformat_find_stream_info().
[[nodiscard]] int choose_video_stream(const AVFormatContext& input);

}  // namespace facepipe::video
