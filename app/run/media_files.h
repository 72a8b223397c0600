// The videos and pictures of a folder, told from outputs of earlier runs by their names.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace facepipe::app {

/// The end of an output's name, before its extension: if faces are drawn, and if they are hidden.
inline constexpr std::string_view kDrawnSuffix = "_faces";
inline constexpr std::string_view kHiddenSuffix = "_hidden";

/// Extensions of video and still images, with the dot, in small letters.
[[nodiscard]] std::span<const std::string_view> media_extensions();

/// Tells whether the extension is one of media_extensions(), in any case.
[[nodiscard]] bool has_media_extension(const std::filesystem::path& path);

/// True for the name of an output, finished, partial or temporary: NAME_faces.EXT,
/// NAME_faces.ANYTHING.EXT, the same with _hidden, NAME.partial.EXT, NAME.partial-2.EXT.
[[nodiscard]] bool is_earlier_output(const std::filesystem::path& path);

/// What a walk through a folder has found.
struct MediaFiles {
  struct Unreadable {
    std::filesystem::path directory;
    std::string reason;
  };
  std::vector<std::filesystem::path> files;  ///< sorted
  std::vector<Unreadable> unreadable;        ///< sorted by path
};

/// Returns the media files of a directory and of all below it. It leaves out hidden files, hidden
/// directories and earlier outputs, and follows no links to directories. The walk goes on behind a
/// directory that can't be read. Throws Error(input) if everything was read and there is no file.
[[nodiscard]] MediaFiles media_files(const std::filesystem::path& directory);

}  // namespace facepipe::app
