// Finds out which files the names of inputs and outputs mean.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace facepipe::app {

/// Returns the files that an input's name may mean. The name is a path or "file:PATH". A protocol
/// of FFmpeg that reads from another protocol may precede it ("cache:", "async:", "subfile,,...:",
/// "concat:A|B").
[[nodiscard]] std::vector<std::filesystem::path> input_paths(const std::string& input);

/// Returns the names of all files that a run may make for `target`; `target` is the first. Names of
/// temporary files are not included, because these are always new.
[[nodiscard]] std::vector<std::filesystem::path> names_of_a_run(
    const std::filesystem::path& target);

/// Identifies a file. Two names of the same file have equal identities. The identity contains the
/// inode if the file exists, otherwise the canonical path.
using NamedFile = std::tuple<std::uintmax_t, std::uintmax_t, std::filesystem::path>;
[[nodiscard]] NamedFile identity(const std::filesystem::path& path);

/// Throws Error(usage) if one of the files that a run makes for `output` is an input. Does nothing
/// if `output` is empty, or is a FIFO or a device. Empty names of inputs mean nothing.
void refuse_input_as_output(const std::filesystem::path& output,
                            const std::vector<std::string>& inputs);

/// Returns the target to which the temporary file `path` of a run belongs. Returns `path` itself if
/// it is not a temporary file.
[[nodiscard]] std::filesystem::path target_of_temporary(const std::filesystem::path& path);

/// Returns the size of an input; nullopt for pipes and URLs, whose size is unknown.
[[nodiscard]] std::optional<std::uintmax_t> bytes_of_input(const std::string& input);

}  // namespace facepipe::app
