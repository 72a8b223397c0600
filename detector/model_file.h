// Reads the bytes of a model file of any kind.
#pragma once

#include <filesystem>
#include <string>

namespace facepipe::detector {

/// Throws Error(device): "model FILE: REASON".
[[noreturn]] void refuse_model(const std::filesystem::path& file, const std::string& reason);

/// Returns all bytes of a file. Throws the error of refuse_model() for a file that is missing,
/// unreadable, empty, not regular, or larger than 1 GiB.
[[nodiscard]] std::string read_model_file(const std::filesystem::path& file);

}  // namespace facepipe::detector
