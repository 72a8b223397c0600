// The file of a model, whatever kind it is: its bytes, and the hash that reports tell.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace facepipe {

/// Error(device): "model FILE: REASON".
[[noreturn]] void refuse_model(const std::filesystem::path& file, const std::string& reason);

/// All bytes of a file. Errors: as refuse_model(), for a file that is missing, unreadable, empty,
/// no regular file, or larger than 1 GiB.
[[nodiscard]] std::string read_model_file(const std::filesystem::path& file);

/// SHA-256 (FIPS 180-4), by FFmpeg's libavutil: 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace facepipe
