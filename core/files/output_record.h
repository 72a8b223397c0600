// Formats and parses the record of the files that are made for a target. A record consists of lines
// of text. The lock on the target (core/files/output_lock.h) writes these lines. A later program
// reads from them which files an earlier program has left.
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

/// Describes what an earlier program left when it worked on a target.
struct Leftover {
  std::filesystem::path path;
  bool kept = false;  ///< it has a partial name, for the user; otherwise it is a temporary file
  std::vector<OutputPart> parts;
};

namespace output_record {

/// Every record begins with this line.
inline constexpr std::string_view kHeader = "facepipe output 1\n";

enum class NameOf { temporary, partial };
/// Returns whether a file of this name was possibly made for the target. The name of a temporary
/// file comes without its temporary_suffix().
using IsOurs = std::function<bool(const std::string& name, NameOf kind)>;

// --- Lines of a record, each with its line break. A line contains a file's name without its
// folder.

/// Returns two lines that say which process on which machine makes a file, and which file that is.
/// If lines of parts or of a kept file follow, they are about this file.
[[nodiscard]] std::string writes_lines(const std::filesystem::path& file);
/// Returns the line that says that a part of the file is complete.
[[nodiscard]] std::string part_line(const OutputPart& part);
/// Returns the line that says that the file is about to get this partial name.
[[nodiscard]] std::string kept_line(const std::filesystem::path& file);
/// Returns the line that says that a file is complete under this partial name.
[[nodiscard]] std::string partial_line(const std::filesystem::path& file,
                                       const FileIdentity& identity);
/// Returns the line that says what is missing in the input of the finished target. The line
/// contains the size of the file that has the target's name now.
[[nodiscard]] std::string damaged_line(const std::filesystem::path& target,
                                       const std::string& damage);

// --- Functions that read a record, which begins with kHeader. They skip lines that they can't
// parse. They also skip lines about a file that doesn't have the name of a temporary or partial
// file of the target. Such a file is not ours, even if the record lists it.

/// Describes a file that the record lists, and the partial name that it was about to get.
struct RecordedFile {
  Leftover file;
  std::filesystem::path kept_as;
  /// The process that makes it may still run, although we hold the lock: it is on another machine,
  /// or it runs on this machine. Not every file system has locks for all its users.
  bool may_be_in_work = false;
};

/// Returns the listed files in the order in which they were made.
/// @param is_ours  is called for names that don't belong to the target itself; it may be empty
[[nodiscard]] std::vector<RecordedFile> made_files(std::string_view record,
                                                   const std::filesystem::path& target,
                                                   const IsOurs& is_ours);

/// Returns the process that is making the file that the record lists last, as "process 17 on HOST".
/// Returns an empty text if the record doesn't say it.
[[nodiscard]] std::string maker(std::string_view record);

/// Finds the file's current name: its run may have been killed before or after it renamed the file.
/// Leaves out parts that end after the file's end. Returns nullopt if the file no longer exists.
[[nodiscard]] std::optional<Leftover> found_on_disk(RecordedFile recorded);

/// Describes a file that was complete when its partial name was recorded.
struct RecordedPartial {
  std::filesystem::path path;
  FileIdentity identity;
};

/// Returns the partial files that haven't changed since they were recorded. A file that somebody
/// has changed isn't ours.
/// @param is_ours  as for made_files()
[[nodiscard]] std::vector<RecordedPartial> unchanged_partials(std::string_view record,
                                                              const std::filesystem::path& target,
                                                              const IsOurs& is_ours);

/// Returns what the record says about damage of the existing target.
[[nodiscard]] std::optional<std::string> recorded_damage(std::string_view record,
                                                         const std::filesystem::path& target);

}  // namespace output_record
}  // namespace facepipe
