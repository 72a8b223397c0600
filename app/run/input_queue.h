// Which input comes next when a run works on several at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace facepipe::app {

/// An input of a run, and how much work it probably is.
struct QueuedInput {
  std::size_t index = 0;                ///< of the input
  std::optional<std::uintmax_t> bytes;  ///< of the file; nullopt if its size is unknown
};

/// Gives the largest inputs first, so that the lanes end together. Inputs of unknown size come
/// before them, because they may go on for ever. Thread-safe.
class InputQueue {
 public:
  /// What one lane works on from now on.
  struct Turn {
    std::size_t index = 0;
    /// The input is more than one lane's share of all that is left. So lanes that find nothing more
    /// in the queue help with it.
    bool may_grow = false;
  };

  /// @param lanes  the number of lanes that take turns
  InputQueue(std::vector<QueuedInput> inputs, int lanes);

  /// Returns nullopt after the last input.
  [[nodiscard]] std::optional<Turn> next();

 private:
  const std::uintmax_t lanes_;
  std::mutex mutex_;
  std::deque<QueuedInput> waiting_;
  std::uintmax_t bytes_left_ = 0;
};

}  // namespace facepipe::app
