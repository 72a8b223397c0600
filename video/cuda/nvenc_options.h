// The options of an encoder in NVENC's words.
#pragma once

#include "video/ffmpeg_encoder.h"

namespace facepipe {

/// Quality where none is asked for, as libx264's default: NVENC's "cq", of 1 (best) to 51.
inline constexpr int kDefaultNvencQuality = 23;

/// What FFmpeg's encoder `name` ("hevc_nvenc", ...) is to be opened with: the options as they were
/// given, the preset (p1, the fastest, to p7), and for a quality N what asks NVENC for a constant
/// one: rc=vbr, cq=N and b=0 (no bit rate to keep). That is also done, with the default quality,
/// where the options choose no rate control, because FFmpeg's default is 2 Mbit/s at any size.
/// Errors: Error(usage) for another preset, and for a quality that isn't over 0 (which NVENC takes
/// for "automatic") and at most 51.
[[nodiscard]] CodecOptions nvenc_options(const std::string& name, const EncoderOptions& options);

}  // namespace facepipe
