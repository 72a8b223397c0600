// Defines the interface from which a job gets its packets.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "core/error.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

class Demuxer;

/// Gives the packets of one input, and says how reading ended. Its demuxer describes the input. A
/// Demuxer is itself the source of an input that is read once. Another kind of source can give
/// packets that its demuxer hasn't read. Not thread-safe.
class Source {
 public:
  virtual ~Source() = default;

  /// Returns the demuxer that opened the input, always the same one. Its streams and their time
  /// bases apply to all packets.
  [[nodiscard]] virtual Demuxer& demuxer() = 0;

  /// Returns the next packet of any stream; nullptr at the end, on a read error, or when stopped.
  /// Throws std::bad_alloc.
  [[nodiscard]] virtual UniqueAVPacket read() = 0;

  /// From now on, a request of `stop` ends reading.
  virtual void stop_with(std::stop_token stop) = 0;

  // The following functions are valid once read() has returned nullptr.
  /// Returns why reading ended before the end of the input; empty otherwise.
  [[nodiscard]] virtual const std::string& read_error() const = 0;
  /// Returns Error(input) with the input's name and the reason if the file, the disk or the network
  /// failed. A later try could then succeed. Returns nullopt if the content of the bytes ended
  /// reading.
  [[nodiscard]] virtual const std::optional<Error>& failure() const = 0;
  /// Returns what the input promised but its packets didn't contain; empty if nothing is missing.
  /// Valid if everything was read from the start.
  [[nodiscard]] virtual std::string shortfall() const = 0;
};

}  // namespace facepipe::video
