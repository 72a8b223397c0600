// SHA-256 (FIPS 180-4), by FFmpeg's libavutil: of models, and of inputs by which edit files go.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

namespace facepipe {

/// 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

/// Of a regular file's bytes, read in parts. Throws Stopped once `stop` is requested. Errors:
/// Error(input) for what is no regular file or can't be read.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& file,
                                         const std::stop_token& stop = {});

}  // namespace facepipe
