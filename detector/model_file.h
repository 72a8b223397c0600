// Reads the bytes of model files of any kind, and of the files beside them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace facepipe::detector {

/// Throws Error(device): "model FILE: REASON".
[[noreturn]] void refuse_model(const std::filesystem::path& file, const std::string& reason);

/// Defines the largest size of a file, and the reason that is given if a larger file is refused.
struct FileLimit {
  std::uintmax_t bytes = 0;
  const char* reason = "";  ///< "larger than 4 MiB"
};

/// Returns all bytes of a file. Calls `refuse` with the reason for a file that is missing,
/// unreadable, not regular, or too large. `refuse` must throw.
[[nodiscard]] std::string read_file(const std::filesystem::path& file, const FileLimit& limit,
                                    const std::function<void(const std::string& reason)>& refuse);

/// Returns all bytes of a file. Throws the error of refuse_model() for a file that is missing,
/// unreadable, empty, not regular, or larger than 1 GiB.
[[nodiscard]] std::string read_model_file(const std::filesystem::path& file);

}  // namespace facepipe::detector
