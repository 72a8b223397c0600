// Lines of inputs that wait until it is their turn to be written.
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

/// What doesn't fit into memory of all spools of a run: one file without a name, gone with the
/// program whatever ends it, in the system's folder for temporary ones; made when it is needed.
/// Thread-safe. Errors: Error(output), naming the folder.
class SpoolFile {
 public:
  SpoolFile() = default;
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  /// Where the text begins.
  [[nodiscard]] std::int64_t append(std::string_view text);
  void read(std::int64_t begin, std::string& to);

 private:
  void open();

  std::mutex mutex_;
  std::string folder_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

/// Lines of one input. Used by one thread at a time.
class LineSpool {
 public:
  /// @param file  outlives it
  explicit LineSpool(SpoolFile& file) : file_(&file) {}

  /// Where the file can't take them, failure() has why from now on, and nothing more is taken.
  void append(std::string_view lines);
  /// Likewise; what is more than a few KB goes to the file, because very many may have to wait.
  void put_away();
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

  /// Gives all lines in order, in parts that end anywhere. Errors: Error(output), failure()'s too.
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
