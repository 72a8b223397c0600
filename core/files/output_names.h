// The names of the files that a run writes, and how a file gets one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace facepipe {

/// What happens to a file that stands under the target's name when the new one is complete.
enum class ExistingTarget { refuse, replace };

/// Where the target lies; "." where its name says nothing.
[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path& target);

/// What stands behind the name of a temporary file: ".tmp-" and ten random letters.
[[nodiscard]] std::string temporary_suffix();

/// The name of a temporary file without that; empty where there is no such suffix.
[[nodiscard]] std::string without_temporary_suffix(const std::string& name);

/// "clip_faces.mp4" -> "clip_faces.partial.mp4", "clip_faces.partial-2.mp4" and so on: number >= 1.
[[nodiscard]] std::filesystem::path partial_name(const std::filesystem::path& target, int number);

/// `stem` + `rest` beside `target`, the stem cut off, with a hash of all of it behind, where the
/// file system doesn't take names so long.
[[nodiscard]] std::filesystem::path name_beside(const std::filesystem::path& target,
                                                const std::string& stem, const std::string& rest);

/// Gives a file another name. 0, or an errno: EEXIST where something has the name and `existing`
/// refuses that.
[[nodiscard]] int rename_file(const std::filesystem::path& from, const std::filesystem::path& to,
                              ExistingTarget existing) noexcept;

/// Removes a file of ours that nobody wants any more, if it is there. Where the system refuses,
/// take_files_left_behind() tells. Thread-safe.
void remove_file(const std::filesystem::path& file) noexcept;

/// What remove_file() could not remove since the last call: one line each, with the file's name and
/// the reason. Thread-safe.
[[nodiscard]] std::vector<std::string> take_files_left_behind();

/// Why a complete file didn't get its name, for an errno of rename_file().
[[nodiscard]] std::string rename_failure(int code);

}  // namespace facepipe
