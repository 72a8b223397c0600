// Gives bytes in memory a name by which libraries open them as a file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace facepipe::app {

/// Owns the file, of which nothing is on a disk.
class MemoryFile {
 public:
  /// Copies the bytes. Errors: Error(internal) where the system gives no memory for it.
  explicit MemoryFile(std::span<const std::byte> bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// The path holds as long as the file lives, for this process alone.
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_ = -1;
};

}  // namespace facepipe::app
