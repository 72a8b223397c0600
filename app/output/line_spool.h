// Holds lines of inputs that wait until they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/failure.h"

namespace facepipe::app {

/// Holds the lines that don't fit into the memory of a run's spools. It owns one file without a
/// name in the system's folder for temporary files. The file is made when it is first needed, and
/// disappears when the program ends, even if the program is killed. Thread-safe. Throws
/// Error(output), which names the folder.
class SpoolFile {
 public:
  SpoolFile() = default;
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  /// Makes the file for the next SpoolFile now, because this process can't make it later. If that
  /// fails, the SpoolFile tries it again when it needs the file.
  static void prepare() noexcept;

  /// Appends the text. Returns the position in the file where the text begins.
  [[nodiscard]] std::int64_t append(std::string_view text);
  void read(std::int64_t begin, std::string& to);

 private:
  void open();

  std::mutex mutex_;
  std::string folder_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

/// Holds the lines of one input. Only one thread at a time may use an object.
class LineSpool {
 public:
  /// @param file  must outlive this object
  explicit LineSpool(SpoolFile& file) : file_(&file) {}

  /// Appends lines. If the file can't take them, the spool takes no more lines, and failure()
  /// returns the reason.
  void append(std::string_view lines);
  /// Moves all but a few KB from memory to the file, because very many spools may have to wait. A
  /// failure is handled as by append().
  void put_away();
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

  /// Passes all lines to `to`, in order, in parts that may end within a line. Throws Error(output),
  /// also if failure() has an error.
  void give(const std::function<void(std::string_view)>& to) const;

 private:
  struct Part {
    std::int64_t begin = 0;
    std::size_t size = 0;
  };
  void spill_beyond(std::size_t bytes);

  SpoolFile* file_;
  std::vector<Part> parts_;  // in the file
  std::string memory_;       // comes after these parts
  std::optional<Failure> failure_;
};

}  // namespace facepipe::app
