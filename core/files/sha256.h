// Computes SHA-256 (FIPS 180-4) by FFmpeg's libavutil. The hashes identify models, and the inputs
// that edit files belong to.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

namespace facepipe {

/// Returns the hash as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

/// Returns the hash of a regular file. Throws Stopped once `stop` is requested. Errors:
/// Error(input) if it isn't a regular file or can't be read.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& file,
                                         const std::stop_token& stop = {});

}  // namespace facepipe
