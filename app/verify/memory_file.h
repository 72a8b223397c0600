// Gives bytes in memory a name, so that libraries can open them as a file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace facepipe::app {

/// Owns a file that is in memory and never on a disk.
class MemoryFile {
 public:
  /// Copies the bytes. Throws Error(internal) if the system has no memory for the file.
  explicit MemoryFile(std::span<const std::byte> bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// Returns the file's path. It is valid only while this object exists, and only in this process.
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_ = -1;
};

}  // namespace facepipe::app
