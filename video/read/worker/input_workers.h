// Says who starts the processes that read and decode inputs instead of this process.
#pragma once

#include <string>

#include "video/read/worker/channel.h"

namespace facepipe::video {

/// Starts and ends processes that each read and decode one input. Thread-safe.
class InputWorkers {
 public:
  struct Worker {
    Channel channel;
    int process = 0;
  };

  InputWorkers() = default;
  virtual ~InputWorkers() = default;
  InputWorkers(const InputWorkers&) = delete;
  InputWorkers& operator=(const InputWorkers&) = delete;

  /// Starts a process that can read this file and writes nothing. Errors: Error(internal) if the
  /// system can't start one.
  [[nodiscard]] virtual Worker start(const std::string& input) = 0;

  /// Ends a process. Call this function once for each worker.
  /// @param broken  the process is ending by itself: it has closed its channel
  /// Returns how it ended, as part of a sentence: "was killed by signal 9".
  virtual std::string end(int process, bool broken) noexcept = 0;
};

/// From now on, the demuxers and the decoders that this process makes work in workers of `workers`;
/// nullptr: in this process, as at the beginning. Call this function while no demuxer exists.
void read_in_workers(InputWorkers* workers) noexcept;
/// Returns what read_in_workers() has set.
[[nodiscard]] InputWorkers* input_workers() noexcept;

}  // namespace facepipe::video
