// What a file is, whatever its name.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

namespace facepipe {

/// SHA-256 (FIPS 180-4) of a regular file's bytes, by FFmpeg's libavutil: 64 lower-case hexadecimal
/// digits. Throws Stopped once `stop` is requested. Errors: Error(input) for what is no regular
/// file or can't be read.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& file,
                                         const std::stop_token& stop = {});

}  // namespace facepipe
