// What NVENC encodes: some chips have none, and nothing tells but an attempt.
#pragma once

#include <string>

#include "pipeline/ffmpeg.h"

namespace facepipe {

/// Why FFmpeg's encoder `name`, such as "h264_nvenc", can't be opened for 4:2:0 pictures of `bits`
/// (8 or 10) that are on `hardware`, see open_hardware_device(); empty if it can. Opens and closes
/// one for a small picture. Errors: Error(device) where there is no memory for pictures.
[[nodiscard]] std::string reason_against_nvenc(const char* name, int bits, AVBufferRef& hardware);

}  // namespace facepipe
