// Locks the name of an output file. Only one program at a time writes to the output. The next
// program learns which files a killed program has left.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/output_record.h"
#include "core/passing_error.h"

namespace facepipe {

/// Another program holds the lock. The message names its process if the record does.
class LockHeld final : public PassingError {
 public:
  using PassingError::PassingError;
};

/// Locks the name `target` as long as this object lives, by flock(2) on the file ".NAME.facepipe"
/// beside it. That file is also the record (core/files/output_record.h): it lists the files that
/// are made for the target, and their complete parts. The next lock on the target reads the record.
/// Not thread-safe.
///
/// The record also names the process and the machine that make a file. This object never removes a
/// file of another machine, or of a process that runs on this machine, because that process may
/// still make the file: some file systems don't tell one machine about the locks of another. The
/// record then stays, too, and a later run on the other machine removes the file.
///
/// The destructor removes the record, except in these cases: keep_record(true) was called;
/// left_partial() has recorded a partial file, which a later success removes; or ends_damaged() was
/// called. The record also stays after kill -9.
///
/// If the file system has no locks, this object locks nothing and keeps no record.
class OutputLock {
 public:
  using NameOf = output_record::NameOf;
  using IsOurs = output_record::IsOurs;

  /// Reads the record, and removes the temporary files of dead programs that contain no complete
  /// part. It removes only files with the name of a temporary file, even if the record lists other
  /// files.
  /// @param is_ours  is called for names that don't belong to `target` itself
  /// Errors: Error(output), naming `target`, if another program holds the lock, if the folder can't
  /// be written to, or if another program's file has the record's name. The first of these is
  /// LockHeld.
  explicit OutputLock(std::filesystem::path target, const IsOurs& is_ours = {});
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

  /// Returns the files that still exist and have complete parts, in the order in which they were
  /// made.
  [[nodiscard]] const std::vector<Leftover>& leftovers() const { return leftovers_; }

  /// Records that a file is about to be made. Later calls of completed() and keeps() are about this
  /// file.
  void writes(const std::filesystem::path& file);
  /// Records that a part is complete: the file now has `part.end` bytes.
  void completed(const OutputPart& part);
  [[nodiscard]] bool has_parts() const { return has_parts_; }
  /// Records that the file is about to be renamed to this partial name. On a full disk it records
  /// nothing.
  void keeps(const std::filesystem::path& file) noexcept;
  /// Records that the file is finished under this partial name, and has no complete part. The next
  /// program that completes the target removes the partial file, unless the partial file has
  /// changed. On a full disk this function records nothing.
  void left_partial(const std::filesystem::path& file) noexcept;
  /// Sets that the target is made from a damaged input. `damage` is one line that says how much is
  /// missing. damage_of() returns this line after finished() was called.
  void ends_damaged(const std::string& damage) { ends_damaged_ = damage; }
  /// Records that the target is complete under its name, and removes the partial files that
  /// left_partial() has recorded. The destructor then removes the record, unless the input was
  /// damaged.
  void finished() noexcept;
  /// Decides whether the destructor leaves the record. Before this call, it leaves the record if
  /// files from the record still exist, or if the record says that the target is damaged.
  void keep_record(bool keeps) { keeps_record_ = keeps; }
  [[nodiscard]] bool keeps_record() const { return keeps_record_; }

  /// Returns what is missing in the input of the existing target: the text that ends_damaged() got.
  /// Returns nullopt if nothing is known to be missing. It needs no lock.
  [[nodiscard]] static std::optional<std::string> damage_of(const std::filesystem::path& target);

  /// Returns the path of the record. It lies beside `target`, and its name is not longer than the
  /// file system allows.
  [[nodiscard]] static std::filesystem::path record_path(const std::filesystem::path& target);

 private:
  void open();
  [[nodiscard]] bool try_open();
  void read_leftovers(const IsOurs& is_ours);
  [[nodiscard]] std::string read_record() const;
  void record_damage() noexcept;
  void append(std::string_view line) const;
  [[nodiscard]] int try_append(std::string_view line) const noexcept;
  [[noreturn]] void fail(const std::string& reason) const;

  std::filesystem::path target_;
  std::filesystem::path record_;
  int file_ = -1;  // the record; -1 if there are no locks
  bool keeps_record_ = false;
  bool others_ = false;     ///< whether files exist that another process may still make
  bool has_parts_ = false;  ///< whether the file that writes() named last has complete parts
  std::vector<output_record::RecordedPartial> partials_;
  std::string ends_damaged_;
  std::vector<Leftover> leftovers_;
};

}  // namespace facepipe
