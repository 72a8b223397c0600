// Decides which input comes next if a run works on several inputs at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace facepipe::app {

/// Describes an input of a run, and how much work it probably is.
struct QueuedInput {
  std::size_t index = 0;                ///< index of the input
  std::optional<std::uintmax_t> bytes;  ///< size of the file; nullopt if it is unknown
};

/// Returns the largest inputs first, so that all lanes end at about the same time. Inputs of
/// unknown size come even earlier, because they may never end. Thread-safe.
class InputQueue {
 public:
  /// Says which input a lane works on next.
  struct Turn {
    std::size_t index = 0;
    /// True if the input is at least one lane's share of all remaining work. Then lanes that find
    /// no more inputs in the queue may help with this input.
    bool may_grow = false;
  };

  /// @param lanes  the number of lanes that call next()
  InputQueue(std::vector<QueuedInput> inputs, int lanes);

  /// Returns the next input; nullopt after the last input.
  [[nodiscard]] std::optional<Turn> next();

 private:
  const std::uintmax_t lanes_;
  std::mutex mutex_;
  std::deque<QueuedInput> waiting_;
  std::uintmax_t bytes_left_ = 0;
};

}  // namespace facepipe::app
