// Lines of inputs that wait for their turn to be written.
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

/// Holds what doesn't fit into the memory of all spools of a run. It is one file without a name in
/// the system's folder for temporary files. It is made when it is needed, and is gone however the
/// program ends. Thread-safe. Errors: Error(output), naming the folder.
class SpoolFile {
 public:
  SpoolFile() = default;
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  /// Returns where the text begins in the file.
  [[nodiscard]] std::int64_t append(std::string_view text);
  void read(std::int64_t begin, std::string& to);

 private:
  void open();

  std::mutex mutex_;
  std::string folder_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

/// Holds the lines of one input. Used by one thread at a time.
class LineSpool {
 public:
  /// @param file  outlives this object
  explicit LineSpool(SpoolFile& file) : file_(&file) {}

  /// If the file can't take the lines, failure() has the reason from now on, and the spool takes
  /// nothing more.
  void append(std::string_view lines);
  /// Leaves only a few KB in memory, because very many spools may have to wait. Failures are as
  /// with append().
  void put_away();
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

  /// Gives all lines in order, in parts that end anywhere. Throws Error(output), also for what
  /// failure() has.
  void give(const std::function<void(std::string_view)>& to) const;

 private:
  struct Part {
    std::int64_t begin = 0;
    std::size_t size = 0;
  };
  void spill_beyond(std::size_t bytes);

  SpoolFile* file_;
  std::vector<Part> parts_;  // in the file
  std::string memory_;       // follows them
  std::optional<Failure> failure_;
};

}  // namespace facepipe::app
