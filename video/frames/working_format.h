// The formats of samples that stages work on, for pictures that come in any.
#pragma once

#include <span>

#include "video/ffmpeg.h"

namespace facepipe::video {

/// The one of `formats` in memory that keeps most of `source`, transparency too; AV_PIX_FMT_NONE
/// where there is none.
[[nodiscard]] AVPixelFormat closest(std::span<const AVPixelFormat> formats, AVPixelFormat source);

/// A format of colours for pictures of `source`. Drawings have a colour: a grey source is treated as
/// a coloured one, a palette as RGB.
[[nodiscard]] AVPixelFormat coloured(AVPixelFormat source);

/// The format for stages alone, where nothing is encoded.
[[nodiscard]] AVPixelFormat working_format(AVPixelFormat source);

}  // namespace facepipe::video
