// Gives bytes in memory a name by which libraries open them as a file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace facepipe::app {

/// Owns the file, which is in memory and never on a disk.
class MemoryFile {
 public:
  /// Copies the bytes. Errors: Error(internal) if the system has no memory for the file.
  explicit MemoryFile(std::span<const std::byte> bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// The path is valid as long as this object lives, and only in this process.
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_ = -1;
};

}  // namespace facepipe::app
