// The file of a model, whatever kind it is: its bytes.
#pragma once

#include <filesystem>
#include <string>

namespace facepipe::detector {

/// Error(device): "model FILE: REASON".
[[noreturn]] void refuse_model(const std::filesystem::path& file, const std::string& reason);

/// All bytes of a file. Errors: as refuse_model(), for a file that is missing, unreadable, empty,
/// no regular file, or larger than 1 GiB.
[[nodiscard]] std::string read_model_file(const std::filesystem::path& file);

}  // namespace facepipe::detector
