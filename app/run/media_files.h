// Finds the videos and pictures of a folder. Recognises outputs of earlier runs by their names.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace facepipe::app {

/// Before the extension, the name of an output ends in kDrawnSuffix if faces are drawn, and in
/// kHiddenSuffix if faces are hidden.
inline constexpr std::string_view kDrawnSuffix = "_faces";
inline constexpr std::string_view kHiddenSuffix = "_hidden";

/// Returns the extensions of video and still images, with the dot, in lower case.
[[nodiscard]] std::span<const std::string_view> media_extensions();

/// Returns whether the extension is one of media_extensions(), in upper or lower case.
[[nodiscard]] bool has_media_extension(const std::filesystem::path& path);

/// Returns whether this is the name of an output, finished, partial or temporary: NAME_faces.EXT,
/// NAME_faces.ANYTHING.EXT, the same two with _hidden, NAME.partial.EXT, NAME.partial-2.EXT.
[[nodiscard]] bool is_earlier_output(const std::filesystem::path& path);

/// Holds what media_files() has found in a folder.
struct MediaFiles {
  struct Unreadable {
    std::filesystem::path directory;
    std::string reason;
  };
  std::vector<std::filesystem::path> files;  ///< sorted
  std::vector<Unreadable> unreadable;        ///< sorted by path
};

/// Returns the media files of a directory and of all directories below it. Skips hidden files,
/// hidden directories and earlier outputs, and doesn't follow links to directories. If a directory
/// can't be read, continues with the next directory. Throws Error(input) if everything could be
/// read, but there is no media file.
[[nodiscard]] MediaFiles media_files(const std::filesystem::path& directory);

}  // namespace facepipe::app
