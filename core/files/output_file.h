// Every file that a run writes: it appears under its name when it is complete, or not at all.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/files/file_identity.h"
#include "core/files/output_lock.h"
#include "core/files/output_names.h"

namespace facepipe {

/// The target that is the process's standard output, whatever that is.
inline constexpr const char* kStandardOutput = "/dev/stdout";

/// Owns a new file "NAME.tmp-..." beside `target`, and the lock on the target's name. commit()
/// gives it the target's name, keep_partial() a partial one; without either the destructor removes
/// it. A file that stands under the target's name is untouched until commit().
///
/// A target that is a FIFO, a device or standard output is written to as it is and can't be sought;
/// links lead to one or are refused. Not thread-safe, but for what says so. The functions that
/// throw throw Error(output), naming `target`; the others are for callbacks of C libraries and
/// answer with an errno.
class OutputFile {
 public:
  /// @param stop  ends waits for the reader of a FIFO
  explicit OutputFile(std::filesystem::path target, ExistingTarget existing,
                      std::stop_token stop = {});
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// At the current position, which moves on. 0, or an errno: then some of it may be written.
  [[nodiscard]] int write(std::span<const std::byte> bytes) noexcept;
  /// Moves the position. 0 or an errno.
  [[nodiscard]] int seek(std::int64_t position) noexcept;
  /// Cuts the file off and moves to its new end. Works on a full disk too. 0 or an errno.
  [[nodiscard]] int truncate(std::int64_t size) noexcept;
  [[nodiscard]] bool seekable() const { return !stream_; }
  [[nodiscard]] std::int64_t position() const { return position_; }
  [[nodiscard]] std::int64_t size() const { return size_; }

  /// There is to be room for a file of `size` bytes, reserved on the disk, so that it can be
  /// finished when the disk is full. Where that can't be had, full() tells. One thread at a time,
  /// while another may be in write().
  void reserve_to(std::int64_t size) noexcept;
  /// Why there is less room than reserve_to() asked for (ENOSPC, EDQUOT, EFBIG), or why nothing
  /// more is written to a FIFO (ECANCELED, after a stop); 0 while there is. Thread-safe.
  [[nodiscard]] int full() const { return full_; }
  /// Ends waits for the reader of a FIFO, as a stop does, now and later. Thread-safe.
  void give_up_waiting() noexcept { gives_up_ = true; }

  /// Refuses a file that is there and may not be replaced: another run may have finished it since
  /// somebody looked, and what were done now would be in vain. Errors: Error(output).
  void expect_no_file() const;

  /// The file that stands under the target's name now may be replaced after all, as long as nobody
  /// changes it meanwhile.
  void may_replace_what_is_there() noexcept;

  /// Completes the file: to the disk, then under its name, with the permissions of the one that it
  /// replaces. Then `superseded` go, which are files that earlier runs left, and the partial files
  /// that they kept for the user, unless those have changed. Where it fails, the file is kept under
  /// a partial name, which the error tells. Called once, last.
  void commit(const std::vector<std::filesystem::path>& superseded = {});
  /// Completes it as "NAME.partial.EXT", or "NAME.partial-2.EXT" and so on where there is one. The
  /// name. Called once, last.
  std::filesystem::path keep_partial();
  /// Begins a second file, the one that commit() and keep_partial() mean. The first goes with
  /// commit(), and with keep_partial() where the second has complete parts; else, if the first has
  /// complete parts, it stays, with the record, for the next run.
  void begin_again();

  [[nodiscard]] const std::filesystem::path& target() const { return target_; }
  /// nullptr for a FIFO or device, and once the file has its name.
  [[nodiscard]] OutputLock* lock() { return lock_ ? &*lock_ : nullptr; }

  /// "can't be written: " and the system's words.
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
  void remove_temporaries();
  void sync_folder() const noexcept;

  std::filesystem::path target_;
  ExistingTarget existing_;
  std::optional<FileIdentity> seen_;  ///< what may be replaced although existing_ refuses
  std::stop_token stop_;
  bool stream_ = false;
  std::filesystem::path record_;  ///< of the lock
  std::optional<OutputLock> lock_;
  std::vector<std::filesystem::path> temporaries_;  ///< the last one is open
  bool leaves_first_ = false;                       ///< see begin_again()
  int file_ = -1;
  std::int64_t position_ = 0;
  std::atomic<std::int64_t> size_ = 0;
  std::int64_t reserved_ = 0;  ///< up to this position there is room for us
  std::atomic<int> full_ = 0;
  std::atomic<bool> gives_up_ = false;
};

/// Removes what unfinished OutputFiles have made, where the program ends without their destructors.
/// For std::terminate(): neither waits nor allocates.
void remove_unfinished_outputs() noexcept;

/// Why the target can't be written at all, whatever its content: a directory, a link to a file, a
/// block device; empty if nothing speaks against it.
[[nodiscard]] std::string reason_against_target(const std::filesystem::path& target);

/// Whether the name leads to a FIFO or a character device, or is kStandardOutput: these are written
/// to, never replaced.
[[nodiscard]] bool is_stream_target(const std::filesystem::path& target);

/// Writes a small file at once, under a name that nothing has. 0 or an errno; then there is no such
/// file, or it was there before.
/// @param mode  of its permissions, before the process's mask
[[nodiscard]] int write_new_file(const std::filesystem::path& path,
                                 std::span<const std::byte> bytes, unsigned mode = 0666) noexcept;

}  // namespace facepipe
