// The record of what is made for a target. It is lines of text. The lock on the target writes them
// (core/files/output_lock.h), and they tell a later program what an earlier one left.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/file_identity.h"

namespace facepipe {

/// Describes a complete part of a file that was never finished, for example the part of one input.
struct OutputPart {
  std::string name;
  std::int64_t begin = 0;  ///< bytes from the file's beginning
  std::int64_t end = 0;
};

/// Describes what an earlier program left of its work on a target.
struct Leftover {
  std::filesystem::path path;
  bool kept = false;  ///< it has a partial name, for the user; otherwise it is a temporary file
  std::vector<OutputPart> parts;
};

namespace output_record {

/// Every record begins with this line.
inline constexpr std::string_view kHeader = "facepipe output 1\n";

enum class NameOf { temporary, partial };
/// Tells by a file's name whether the file may have been made for the target. The name of a
/// temporary file is given without its temporary_suffix().
using IsOurs = std::function<bool(const std::string& name, NameOf kind)>;

// --- Lines of a record, each with its line break. A line holds a file's name without its folder.

/// Returns the line that says that a file is made. Lines of parts and of a kept file that follow it
/// are about this file.
[[nodiscard]] std::string writes_line(const std::filesystem::path& file);
/// Returns the line that says that a part of the file is complete.
[[nodiscard]] std::string part_line(const OutputPart& part);
/// Returns the line that says that the file is about to get this partial name.
[[nodiscard]] std::string kept_line(const std::filesystem::path& file);
/// Returns the line that says that a file is complete under this partial name.
[[nodiscard]] std::string partial_line(const std::filesystem::path& file,
                                       const FileIdentity& identity);
/// Returns the line that says what is missing in the input of the target. The target is finished:
/// the line holds the size of the file that has its name now.
[[nodiscard]] std::string damaged_line(const std::filesystem::path& target,
                                       const std::string& damage);

// --- What a record tells. `record` begins with kHeader. Lines that can't be understood are
// skipped. So are lines about a file that doesn't have the name of a temporary or partial file of
// the target: such a file is not ours, whoever wrote the record.

/// Holds one file that the record says was made, and the partial name that it was going to get.
struct RecordedFile {
  Leftover file;
  std::filesystem::path kept_as;
};

/// Returns the files in the order in which they were made.
/// @param is_ours  is also asked about names other than the target's own; it may be empty
[[nodiscard]] std::vector<RecordedFile> made_files(std::string_view record,
                                                   const std::filesystem::path& target,
                                                   const IsOurs& is_ours);

/// Finds where the file is now, because its run may have been killed before or after renaming it.
/// Parts that the file is too short for are left out. Returns nullopt if the file is gone.
[[nodiscard]] std::optional<Leftover> found_on_disk(RecordedFile recorded);

/// Describes a file that was complete when its partial name was recorded.
struct RecordedPartial {
  std::filesystem::path path;
  FileIdentity identity;
};

/// Returns the partial files that are still as recorded. If somebody has replaced one, it isn't
/// ours.
/// @param is_ours  as for made_files()
[[nodiscard]] std::vector<RecordedPartial> unchanged_partials(std::string_view record,
                                                              const std::filesystem::path& target,
                                                              const IsOurs& is_ours);

/// Returns what the record says about damage of the file that has the target's name now.
[[nodiscard]] std::optional<std::string> recorded_damage(std::string_view record,
                                                         const std::filesystem::path& target);

}  // namespace output_record
}  // namespace facepipe
