// From the inputs that were named to the list of jobs: what is read, and where its output goes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "app/failure.h"

namespace facepipe::app {

/// What an output's name ends in, before its extension: where faces are drawn, and where hidden.
inline constexpr std::string_view kDrawnSuffix = "_faces";
inline constexpr std::string_view kHiddenSuffix = "_hidden";

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
  std::string_view suffix = kDrawnSuffix;  ///< of names beside the inputs, and in a directory
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
using NamedFile = std::tuple<std::uintmax_t, std::uintmax_t, std::filesystem::path>;
[[nodiscard]] NamedFile identity(const std::filesystem::path& path);

/// Of video and still images, with the dot, in small letters.
[[nodiscard]] std::span<const std::string_view> media_extensions();

/// True for extensions of video and still images, in any case.
[[nodiscard]] bool has_media_extension(const std::filesystem::path& path);

/// True for the name of an output, finished, partial or temporary: NAME_faces.EXT,
/// NAME_faces.ANYTHING.EXT, likewise with _hidden, NAME.partial.EXT, NAME.partial-2.EXT.
[[nodiscard]] bool is_earlier_output(const std::filesystem::path& path);

/// What a walk found.
struct MediaFiles {
  struct Unreadable {
    std::filesystem::path directory;
    std::string reason;
  };
  std::vector<std::filesystem::path> files;  ///< sorted
  std::vector<Unreadable> unreadable;        ///< sorted by path
};

/// The media files of a directory and all below it; hidden files, hidden directories and earlier
/// outputs are left out. Links to directories are not followed. A directory that can't be read
/// doesn't end the walk. Throws Error(input) where everything was read and there is nothing.
[[nodiscard]] MediaFiles media_files(const std::filesystem::path& directory);

}  // namespace facepipe::app
