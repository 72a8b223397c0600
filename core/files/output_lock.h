// Only one program at a time writes to a name, and the next program learns what a killed one left
// there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/output_record.h"

namespace facepipe {

/// Holds a lock on the name `target` while it lives, by flock(2) on ".NAME.facepipe" beside it.
/// That file is also the record (core/files/output_record.h) of what is made for the target: which
/// files, and which parts of them are complete. The record is removed with the lock, unless
/// keep_record() was called. After kill -9 it stays, and the next lock on the target reads it. It
/// also stays as long as there is a partial file that a later success makes needless
/// (left_partial()). It stays, too, if the target was made from a damaged input (ends_damaged()).
/// Not thread-safe.
///
/// If the file system has no locks, this object locks nothing and keeps no record.
class OutputLock {
 public:
  using NameOf = output_record::NameOf;
  using IsOurs = output_record::IsOurs;

  /// Reads the record, and removes the temporary files of dead programs that hold no complete part.
  /// Whatever the record says, it touches only files that have the names of temporary and partial
  /// files.
  /// @param is_ours  is also asked about names other than the target's own
  /// Errors: Error(output), naming `target`: another program holds the lock; the folder can't be
  /// written to; a file that has the lock's name is not ours.
  explicit OutputLock(std::filesystem::path target, const IsOurs& is_ours = {});
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

  /// Returns the files with complete parts that still exist, in the order in which they were made.
  [[nodiscard]] const std::vector<Leftover>& leftovers() const { return leftovers_; }

  /// Records that a file is about to be made. completed() and keeps() then mean this file.
  void writes(const std::filesystem::path& file);
  /// Records a complete part: the file holds `part.end` bytes.
  void completed(const OutputPart& part);
  [[nodiscard]] bool has_parts() const { return has_parts_; }
  /// Records that the file is about to be renamed to this partial name. A full disk prevents this.
  void keeps(const std::filesystem::path& file) noexcept;
  /// Records that the file is complete under this partial name, and holds no complete part. The
  /// next program that completes the target removes it, unless it has changed. A full disk prevents
  /// this.
  void left_partial(const std::filesystem::path& file) noexcept;
  /// Says that the target is made from a damaged input, and in one line how much is missing.
  /// damage_of() returns this after finished() was called.
  void ends_damaged(const std::string& damage) { ends_damaged_ = damage; }
  /// Says that the target is complete under its name. Partial files that left_partial() has
  /// recorded are removed. The record is removed with the lock, unless the input was damaged.
  void finished() noexcept;
  /// Decides whether the record stays when the lock goes. At first it stays if it tells of files
  /// that are there, or of the target's damage.
  void keep_record(bool keeps) { keeps_record_ = keeps; }
  [[nodiscard]] bool keeps_record() const { return keeps_record_; }

  /// Returns what was missing in the input of the file that is there now, as ends_damaged() was
  /// told; nullopt if nothing is known to be missing. It needs no lock.
  [[nodiscard]] static std::optional<std::string> damage_of(const std::filesystem::path& target);

  /// Returns a path beside `target` whose name is not longer than the file system allows.
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
  int file_ = -1;  // -1 if there are no locks
  bool keeps_record_ = false;
  bool has_parts_ = false;  ///< about the file that writes() named last
  std::vector<output_record::RecordedPartial> partials_;
  std::string ends_damaged_;
  std::vector<Leftover> leftovers_;
};

}  // namespace facepipe
