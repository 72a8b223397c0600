// Writes output files. A file gets its name when it is complete, or never.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/file_identity.h"
#include "core/files/output_lock.h"
#include "core/files/output_names.h"

namespace facepipe {

/// This target means the process's standard output.
inline constexpr const char* kStandardOutput = "/dev/stdout";

/// Owns a new file "NAME.tmp-..." beside `target`, and the lock on the target's name. commit()
/// gives the file the target's name, and keep_partial() gives it a partial name. If neither is
/// called, the destructor removes it. A file that has the target's name stays untouched until
/// commit().
///
/// If the target is a FIFO, a device or standard output, bytes go directly to the target, and
/// seek() is not possible. A link is accepted only if it leads to such a target. Only functions
/// that say so are thread-safe. If a function throws, it throws Error(output), which names
/// `target`. Functions that return an errno serve callbacks of C libraries.
class OutputFile {
 public:
  /// @param stop  a stop ends each wait for the reader of a FIFO
  explicit OutputFile(std::filesystem::path target, ExistingTarget existing,
                      std::stop_token stop = {});
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes at the current position and advances it. Returns 0 or an errno. After an error, some of
  /// the bytes may have been written.
  [[nodiscard]] int write(std::span<const std::byte> bytes) noexcept;
  /// Writes a text as write() does. Throws if it can't be written.
  void write_text(std::string_view text);
  /// Moves the position. Returns 0 or an errno.
  [[nodiscard]] int seek(std::int64_t position) noexcept;
  /// Shortens the file to `size` bytes and moves to its new end. This works on a full disk too.
  /// Returns 0 or an errno.
  [[nodiscard]] int truncate(std::int64_t size) noexcept;
  [[nodiscard]] bool seekable() const { return !stream_; }
  [[nodiscard]] std::int64_t position() const { return position_; }
  [[nodiscard]] std::int64_t size() const { return size_; }

  /// Reserves room on the disk for a file of `size` bytes, so that the file can be finished even if
  /// the disk becomes full. If there is no room, full() returns the reason. Only one thread at a
  /// time may call this function. Another thread may call write() meanwhile.
  void reserve_to(std::int64_t size) noexcept;
  /// Returns 0 if all is well. If reserve_to() didn't find enough room, returns ENOSPC, EDQUOT or
  /// EFBIG. If nothing more is written to a FIFO after a stop, returns ECANCELED. Thread-safe.
  [[nodiscard]] int full() const { return full_; }
  /// Ends every present and future wait for the reader of a FIFO, as a stop does. Thread-safe.
  void give_up_waiting() noexcept { gives_up_ = true; }

  /// Throws if the target exists and may not be replaced. This happens if another run has finished
  /// the target meanwhile. Further work is then useless. Errors: Error(output).
  void expect_no_file() const;

  /// Allows commit() to replace the file that has the target's name now, unless somebody changes
  /// that file before.
  void may_replace_what_is_there() noexcept;

  /// Completes the file: writes it to the disk, then gives it the target's name and the permissions
  /// of the file that it replaces. Then it removes the files `superseded`, which earlier runs left.
  /// It also removes the partial files that earlier runs kept for the user, unless they have
  /// changed. If commit() fails, the file gets a partial name, which the error's message contains
  /// (see NoPartialFiles).
  /// Call commit() at most once, as the last function.
  void commit(const std::vector<std::filesystem::path>& superseded = {});
  /// Completes the file as "NAME.partial.EXT", or as "NAME.partial-2.EXT" and so on if that name
  /// exists. Returns the name. Call it at most once, as the last function. See NoPartialFiles.
  std::filesystem::path keep_partial();
  /// Begins a second file, which commit() and keep_partial() then complete. commit() removes the
  /// first file. keep_partial() removes the first file if the second file has complete parts. If
  /// only the first file has complete parts, it stays with the record, for the next run.
  void begin_again();

  [[nodiscard]] const std::filesystem::path& target() const { return target_; }
  /// Returns the lock; nullptr for a FIFO or device, and after the file got its name.
  [[nodiscard]] OutputLock* lock() { return lock_ ? &*lock_ : nullptr; }

  /// Throws Error(output) with "can't be written: " and the system's words.
  [[noreturn]] void fail(int code) const;

 private:
  void open_stream();
  void open_new();
  void open_temporary();
  [[nodiscard]] std::int64_t free_bytes() const noexcept;
  [[nodiscard]] int give_name();
  [[nodiscard]] bool replaces() const;
  [[nodiscard]] int wait_for_room() const noexcept;
  void complete() const;
  void close_file() noexcept;
  void release();
  void leave_first();
  void leave_parts();
  void remove_temporaries();
  void sync_folder() const noexcept;

  std::filesystem::path target_;
  ExistingTarget existing_;
  std::optional<FileIdentity> seen_;  ///< the file that may be replaced although existing_ refuses
  std::stop_token stop_;
  bool stream_ = false;
  std::filesystem::path record_;  ///< the lock's record
  std::optional<OutputLock> lock_;
  std::vector<std::filesystem::path> temporaries_;  ///< the last file is open
  bool leaves_first_ = false;                       ///< see begin_again()
  int file_ = -1;
  std::int64_t position_ = 0;
  std::atomic<std::int64_t> size_ = 0;
  std::int64_t reserved_ = 0;  ///< the disk has room for the file up to this position
  std::atomic<int> full_ = 0;
  std::atomic<bool> gives_up_ = false;
};

/// While an object of this class exists, no file of this process gets a partial name:
/// OutputFile::keep_partial() returns an empty path and removes the file. If the file has complete
/// parts, it stays under its temporary name, as after kill -9, and the next run reads the parts. A
/// task that starts again from the beginning needs no partial files. There may be only one object
/// at a time, which must exist before other threads write files.
class NoPartialFiles {
 public:
  NoPartialFiles() noexcept;
  ~NoPartialFiles();
  NoPartialFiles(const NoPartialFiles&) = delete;
  NoPartialFiles& operator=(const NoPartialFiles&) = delete;
};

/// Returns whether files may get partial names: there is no NoPartialFiles.
[[nodiscard]] bool may_keep_partial_files() noexcept;

/// Removes the files of unfinished OutputFiles if the program ends without running their
/// destructors. It neither waits nor allocates, so std::terminate()'s handler may call it.
void remove_unfinished_outputs() noexcept;

/// Returns why nothing can be written to the target: it is a directory, a link to a file, or a
/// block device. Returns an empty text if there is no such reason.
[[nodiscard]] std::string reason_against_target(const std::filesystem::path& target);

/// Returns whether the name leads to a FIFO or a character device, or is kStandardOutput. We write
/// to such a target and never replace it.
[[nodiscard]] bool is_stream_target(const std::filesystem::path& target);

/// Creates a small file under a name that must be free. Returns 0 or an errno. If it fails, it
/// leaves no new file.
/// @param mode  the file's permissions, before the process's mask
[[nodiscard]] int write_new_file(const std::filesystem::path& path,
                                 std::span<const std::byte> bytes, unsigned mode = 0666) noexcept;

}  // namespace facepipe
