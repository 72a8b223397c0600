// From the inputs that were named to the list of jobs: what is read, and where its output goes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "app/outcome.h"

namespace facepipe {

/// What an output's name ends in, before its extension.
inline constexpr const char* kOutputSuffix = "_faces";

/// One input that was found, or one that was named but is of no use.
struct PlannedInput {
  std::string input;  ///< path or URL, as FFmpeg gets it
  std::string name;   ///< as the files beside the video tell it: relative to the directory that was
                      ///< named, else as named
  std::filesystem::path output;    ///< empty without video
  std::optional<Failure> failure;  ///< why it can't be worked on
};

/// Where outputs go.
struct OutputPlace {
  std::string path;  ///< of --output: empty, a file, or a directory
  bool video = true;
};

/// Tells the extension, with the dot, of an input's output; throws Error where it can't be opened.
using ExtensionOf = std::function<std::string(const std::string&)>;

/// The jobs of `inputs`, in order; directories are walked, their files sorted. Reads directories
/// and asks `extension_of`; makes nothing. A bad input is an entry with its failure. Throws
/// Error(usage) for what concerns all: an input that an output's name, final or partial, leads to,
/// or two inputs with one output.
[[nodiscard]] std::vector<PlannedInput> plan_inputs(const std::vector<std::string>& inputs,
                                                    const OutputPlace& place,
                                                    const ExtensionOf& extension_of);

/// The files that an input may be, however it is spelled: a path, "file:PATH", and what stands
/// behind protocols of FFmpeg that read another ("cache:", "async:", "subfile,,...:",
/// "concat:A|B").
[[nodiscard]] std::vector<std::filesystem::path> input_paths(const std::string& input);

/// The names that a run may give to a file, or make beside it, on the way to `target`; those of
/// temporary files, which are new, apart. `target` comes first.
[[nodiscard]] std::vector<std::filesystem::path> names_of_a_run(
    const std::filesystem::path& target);

/// Equal for two names of one file: by its inode where it exists, by its canonical path where not.
using FileIdentity = std::tuple<std::uintmax_t, std::uintmax_t, std::filesystem::path>;
[[nodiscard]] FileIdentity identity(const std::filesystem::path& path);

}  // namespace facepipe
