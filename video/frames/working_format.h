// Chooses the format of samples that stages work on, for pictures of any format.
#pragma once

#include <span>

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Returns the format in memory among `formats` that keeps most of `source`, with its transparency;
/// AV_PIX_FMT_NONE if there is none.
[[nodiscard]] AVPixelFormat closest(std::span<const AVPixelFormat> formats, AVPixelFormat source);

/// Returns a format with colours for pictures of `source`, because drawings have a colour. A grey
/// source is treated as a coloured one, a palette as RGB.
[[nodiscard]] AVPixelFormat coloured(AVPixelFormat source);

/// Returns the format for stages if nothing is encoded.
[[nodiscard]] AVPixelFormat working_format(AVPixelFormat source);

}  // namespace facepipe::video
