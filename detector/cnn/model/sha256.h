// SHA-256 of bytes in memory (FIPS 180-4), by FFmpeg's libavutil.
#pragma once

#include <string>
#include <string_view>

namespace facepipe {

/// 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace facepipe
