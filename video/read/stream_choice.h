// Which of an input's streams is its video.
#pragma once

#include "video/ffmpeg.h"

namespace facepipe::video {

/// The index of the video stream to work on; -1 where there is none. Covers and thumbnails are
/// none. Of several: one of which pictures have been seen; one that the file marks as its default;
/// the largest picture; one of colours rather than greys, which depth and transparency are kept as;
/// the first. Called behind avformat_find_stream_info().
[[nodiscard]] int choose_video_stream(const AVFormatContext& input);

}  // namespace facepipe::video
