// Which input is worked on next, where several are at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace facepipe::app {

/// An input of a run, by its number, and how much work it is likely to be.
struct QueuedInput {
  std::size_t index = 0;
  std::optional<std::uintmax_t> bytes;  ///< of the file; none where nobody can tell
};

/// The largest first, so that the lanes end together; before them those of unknown size, which may
/// go on for ever. Thread-safe.
class InputQueue {
 public:
  /// What one lane works on from now on.
  struct Turn {
    std::size_t index = 0;
    /// The input is more than one lane's share of all that is left: others, which find nothing more
    /// in the queue, are to help.
    bool may_grow = false;
  };

  /// @param lanes  that take turns
  InputQueue(std::vector<QueuedInput> inputs, int lanes);

  /// None where all have been given.
  [[nodiscard]] std::optional<Turn> next();

 private:
  const std::uintmax_t lanes_;
  std::mutex mutex_;
  std::deque<QueuedInput> waiting_;
  std::uintmax_t bytes_left_ = 0;
};

}  // namespace facepipe::app
