// Which files the names of inputs and outputs lead to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace facepipe::app {

/// Returns the files that an input may be, however it is spelled: a path, "file:PATH", and what
/// stands behind FFmpeg's protocols that read another one ("cache:", "async:", "subfile,,...:",
/// "concat:A|B").
[[nodiscard]] std::vector<std::filesystem::path> input_paths(const std::string& input);

/// Returns the names that a run may give to a file, or make beside it, on the way to `target`.
/// `target` comes first. Names of temporary files are left out, because these are always new.
[[nodiscard]] std::vector<std::filesystem::path> names_of_a_run(
    const std::filesystem::path& target);

/// Two names of one file are equal: by its inode if it exists, else by its canonical path.
using NamedFile = std::tuple<std::uintmax_t, std::uintmax_t, std::filesystem::path>;
[[nodiscard]] NamedFile identity(const std::filesystem::path& path);

/// Returns the file that a temporary file of a run is to become; `path` itself if it is none.
[[nodiscard]] std::filesystem::path target_of_temporary(const std::filesystem::path& path);

/// Returns the size of an input; nullopt for pipes and URLs, whose size nobody knows.
[[nodiscard]] std::optional<std::uintmax_t> bytes_of_input(const std::string& input);

}  // namespace facepipe::app
