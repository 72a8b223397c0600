// A text file that appears under its name only when it is complete.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace facepipe {

/// Owns a new file beside `path`, named "PATH.tmp-PID-N"; commit() gives it its name. Without
/// commit() the destructor removes it. Not thread-safe. Every function but the destructor throws
/// Error(output), naming `path`, when the system refuses (a full disk, for one).
class AtomicFile {
 public:
  /// Makes the temporary file. An existing file under `path` is left alone until commit().
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view text);

  /// Bytes written so far: a place that truncate() goes back to.
  [[nodiscard]] std::int64_t position() const {
    return on_disk_ + static_cast<std::int64_t>(pending_.size());
  }
  /// Forgets everything after `position`, which is at most position(). Works on a full disk too.
  void truncate(std::int64_t position);

  /// Flushes, closes and renames to `path`, or to `other` where that is given. Called once, last.
  void commit(const std::filesystem::path& other = {});

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  void open();
  void flush();
  [[noreturn]] void fail(int code) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;         ///< empty once it has been renamed
  std::unique_ptr<std::FILE, Close> file_;  ///< unbuffered: what it takes is in the file
  std::int64_t on_disk_ = 0;
  std::string pending_;  ///< follows what is on disk
};

}  // namespace facepipe
