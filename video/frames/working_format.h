// Chooses the format of the samples that the stages work on.
#pragma once

#include <span>

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Returns the format of `formats` to which `source` converts with the least loss, transparency
/// included. Ignores formats of hardware surfaces. Returns AV_PIX_FMT_NONE if nothing is left.
[[nodiscard]] AVPixelFormat closest(std::span<const AVPixelFormat> formats, AVPixelFormat source);

/// Returns `source` if it has colours. For a grey or palette format it returns an RGB format,
/// because drawings have a colour.
[[nodiscard]] AVPixelFormat coloured(AVPixelFormat source);

/// Returns the format that the stages work on if nothing is encoded.
[[nodiscard]] AVPixelFormat working_format(AVPixelFormat source);

}  // namespace facepipe::video
