// Which files of a directory are worked on.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace facepipe {

/// Of video and still images, with the dot, in small letters.
[[nodiscard]] std::span<const std::string_view> media_extensions();

/// True for extensions of video and still images, in any case.
[[nodiscard]] bool has_media_extension(const std::filesystem::path& path);

/// True for the name of an output, finished, partial or temporary: NAME_faces.EXT,
/// NAME_faces.ANYTHING.EXT, NAME.partial.EXT, NAME.partial-2.EXT.
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

}  // namespace facepipe
