// Chooses the names of the files that a run writes, and gives a file its name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace facepipe {

/// Says what happens to a file that has the target's name when the new file is complete.
enum class ExistingTarget { refuse, replace };

/// Returns the folder of the target, or "." if the target names none.
[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path& target);

/// Returns the suffix of a temporary file: ".tmp-" and ten random letters.
[[nodiscard]] std::string temporary_suffix();

/// Returns `name` without the suffix of a temporary file; an empty text if it has no such suffix.
[[nodiscard]] std::string without_temporary_suffix(const std::string& name);

/// Turns "clip_faces.mp4" into "clip_faces.partial.mp4", "clip_faces.partial-2.mp4" and so on.
/// `number` >= 1.
[[nodiscard]] std::filesystem::path partial_name(const std::filesystem::path& target, int number);

/// Returns `stem` + `rest` beside `target`. If this name is too long for the file system, the stem
/// is shortened, and a hash of the whole stem follows it.
[[nodiscard]] std::filesystem::path sibling_path(const std::filesystem::path& target,
                                                 const std::string& stem, const std::string& rest);

/// Renames a file. Returns 0 or an errno: EEXIST if something has the new name and `existing`
/// refuses to replace it.
[[nodiscard]] int rename_file(const std::filesystem::path& from, const std::filesystem::path& to,
                              ExistingTarget existing) noexcept;

/// Removes a file of ours that is no longer needed, if it exists. If the system refuses,
/// take_files_left_behind() reports the file. Thread-safe.
void remove_file(const std::filesystem::path& file) noexcept;

/// Returns the files that remove_file() could not remove since the last call. Each line has the
/// file's name and the reason. Thread-safe.
[[nodiscard]] std::vector<std::string> take_files_left_behind();

/// Returns the text for an errno of rename_file(): why a complete file didn't get its name.
[[nodiscard]] std::string rename_failure(int code);

}  // namespace facepipe
