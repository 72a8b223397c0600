// One program at a time writes to a name, and what a killed one left there is known to the next.
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

/// A complete part of a file that was never finished: what belongs to one input, for example.
struct OutputPart {
  std::string name;
  std::int64_t begin = 0;  ///< bytes from the file's begin
  std::int64_t end = 0;
};

/// What an earlier program left of its work on a target.
struct Leftover {
  std::filesystem::path path;
  bool kept = false;  ///< under a partial name, for the user; else a temporary file
  std::vector<OutputPart> parts;
};

/// Holds a lock on the name `target` while it lives, by flock(2) on ".NAME.facepipe" beside it.
/// That file is also the record of what is made for the target: which files, and which parts of
/// them are complete. It goes with the lock unless keep_record() was called; after kill -9 it
/// stays, and the next lock on the target reads it. It also stays as long as there is a partial
/// file that a later success makes needless (left_partial()), or the target was made of a damaged
/// input (ends_damaged()). Not thread-safe.
///
/// Where the file system has no locks, it is no lock and keeps no record.
class OutputLock {
 public:
  enum class NameOf { temporary, partial };
  /// Tells whether a file may have been made for the target, by its name; of a temporary file by
  /// the name without its temporary_suffix().
  using IsOurs = std::function<bool(const std::string& name, NameOf kind)>;

  /// Reads the record and removes the temporary files of dead programs that hold no complete part.
  /// Whatever the record says, only files by the names of temporary and partial ones are touched.
  /// @param is_ours  asked besides for names other than the target's own
  /// Errors: Error(output), naming `target`: another program holds the lock; the folder can't be
  /// written to; a file by the lock's name is not ours.
  explicit OutputLock(std::filesystem::path target, const IsOurs& is_ours = {});
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

  /// Files with complete parts, in the order in which they were made; only those that are there.
  [[nodiscard]] const std::vector<Leftover>& leftovers() const { return leftovers_; }

  /// A file is about to be made; of what follows, completed() and keeps() mean this one.
  void writes(const std::filesystem::path& file);
  /// `part.end` bytes are in the file.
  void completed(const OutputPart& part);
  [[nodiscard]] bool has_parts() const { return has_parts_; }
  /// The file is about to be renamed to this partial name. On a full disk it isn't recorded.
  void keeps(const std::filesystem::path& file) noexcept;
  /// The file is complete under this partial name, and holds no complete part: the next program
  /// that completes the target removes it, unless it has changed. On a full disk it isn't recorded.
  void left_partial(const std::filesystem::path& file) noexcept;
  /// What is made is of a damaged input, and how much of it is missing, in a line: damage_of()
  /// tells it once finished() was called.
  void ends_damaged(const std::string& damage) { ends_damaged_ = damage; }
  /// The target is complete under its name: partial files that left_partial() has recorded go, and
  /// so does the record with the lock, unless the target is of a damaged input.
  void finished() noexcept;
  /// Whether the record stays when the lock goes: at first, where it tells of files that are there.
  void keep_record(bool keeps) { keeps_record_ = keeps; }
  [[nodiscard]] bool keeps_record() const { return keeps_record_; }

  /// What was missing in the input of which the file that stands under the name was made, as
  /// ends_damaged() had it; none where nothing is known to be. Needs no lock.
  [[nodiscard]] static std::optional<std::string> damage_of(const std::filesystem::path& target);

  /// Beside `target`; not longer than its file system allows.
  [[nodiscard]] static std::filesystem::path record_path(const std::filesystem::path& target);

 private:
  /// A file that was complete when its name was recorded.
  struct Recorded {
    std::filesystem::path path;
    FileIdentity identity;
  };

  void open();
  [[nodiscard]] bool try_open();
  void read_leftovers(const IsOurs& is_ours);
  void read_partials(std::string_view record, const IsOurs& is_ours);
  [[nodiscard]] std::string read_record() const;
  void record_damage() noexcept;
  void append(std::string_view key, const std::string& text) const;
  [[nodiscard]] int try_append(std::string_view line) const noexcept;
  [[noreturn]] void fail(const std::string& reason) const;

  std::filesystem::path target_;
  std::filesystem::path record_;
  int file_ = -1;  // -1 where there are no locks
  bool keeps_record_ = false;
  bool has_parts_ = false;  ///< of the file that writes() named last
  std::vector<Recorded> partials_;
  std::string ends_damaged_;
  std::vector<Leftover> leftovers_;
};

}  // namespace facepipe
