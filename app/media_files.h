// Which files of a directory are worked on.
#pragma once

#include <filesystem>
#include <span>
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

/// The media files of a directory and all below it, sorted by path; hidden files, hidden
/// directories and earlier outputs are left out. Links to directories are not followed.
/// Throws Error(input) where a directory can't be read, or nothing is found.
[[nodiscard]] std::vector<std::filesystem::path> media_files(
    const std::filesystem::path& directory);

}  // namespace facepipe
