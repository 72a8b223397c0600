// Carries messages between the program and a worker process.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "core/files/descriptor.h"
#include "video/bitstream/byte_reader.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

struct Message {
  std::string head;
  UniqueAVPacket bytes;  ///< a packet that has only bytes; nullptr if none came
  Descriptor file;       ///< a descriptor that came with the message
};

/// One end of a connected pair of sockets. Only one thread may use it at a time.
class Channel {
 public:
  /// Returns a new channel, and the other end for another process. Throws Error(internal) if the
  /// system has no more descriptors; it is a PassingError.
  [[nodiscard]] static std::pair<Channel, Descriptor> make();

  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}

  /// Sends a message. Returns false if the other process doesn't take it any more.
  /// @param file  a descriptor of which the other process gets a copy; -1: none
  [[nodiscard]] bool send(std::string_view head, Bytes bytes = {}, int file = -1) const;

  /// Waits for the next message, but not for its descriptors, which are closed. Returns nullopt if
  /// the other process has ended, or sends what can't be a message. Throws Stopped when `stop` is
  /// requested; std::bad_alloc.
  [[nodiscard]] std::optional<Message> receive(const std::stop_token& stop = {}) const;
  /// Does the same, and takes a descriptor that comes with the message.
  [[nodiscard]] std::optional<Message> receive_with_file() const;

  [[nodiscard]] int number() const { return socket_.number(); }

 private:
  [[nodiscard]] std::optional<Message> receive_rest(const void* lengths) const;
  [[nodiscard]] bool take(void* to, std::size_t bytes, const std::stop_token& stop = {}) const;

  Descriptor socket_;
};

}  // namespace facepipe::video
