#include "video/read/worker/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/error.h"
#include "core/passing_error.h"

namespace facepipe::video {
namespace {

// The largest header of an input is that of a file with many tags and covers.
constexpr std::uint32_t kMostHead = std::uint32_t{256} << 20U;
// The largest packet is a raw picture: kMostPixels of 4 bytes.
constexpr std::uint32_t kMostBytes = std::uint32_t{1} << 30U;
constexpr int kStopCheckMs = 100;

struct Lengths {
  std::uint32_t head = 0;
  std::uint32_t bytes = 0;
};

union Control {
  cmsghdr header;  // aligns the bytes
  std::array<char, CMSG_SPACE(sizeof(int))> bytes;
};

/// Puts a descriptor into a message.
void attach(msghdr& message, Control& control, int file) {
  message.msg_control = control.bytes.data();
  message.msg_controllen = control.bytes.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(header), &file, sizeof file);
}

Descriptor attached(msghdr& message) {
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
    return Descriptor();
  int file = -1;
  std::memcpy(&file, CMSG_DATA(header), sizeof file);
  return Descriptor(file);
}

/// Leaves out the first `sent` bytes of what is to be sent.
void skip(std::array<iovec, 3>& parts, std::size_t sent) {
  for (iovec& part : parts) {
    const std::size_t skipped = std::min(sent, part.iov_len);
    part.iov_base = static_cast<char*>(part.iov_base) + skipped;
    part.iov_len -= skipped;
    sent -= skipped;
  }
}

}  // namespace

std::pair<Channel, Descriptor> Channel::make() {
  int both[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0)
    throw PassingError(ErrorKind::internal,
                       "can't make a socket: " + std::generic_category().message(errno));
  return {Channel(Descriptor(both[0])), Descriptor(both[1])};
}

bool Channel::send(std::string_view head, Bytes bytes, int file) const {
  Lengths lengths{static_cast<std::uint32_t>(head.size()),
                  static_cast<std::uint32_t>(bytes.size())};
  if (head.size() > kMostHead || bytes.size() > kMostBytes) return false;
  // sendmsg() only reads the parts, but iovec is also for reading from a socket, so it isn't const.
  // NOLINTBEGIN(cppcoreguidelines-pro-type-const-cast)
  std::array<iovec, 3> parts{iovec{&lengths, sizeof lengths},
                             iovec{const_cast<char*>(head.data()), head.size()},
                             iovec{const_cast<std::uint8_t*>(bytes.data()), bytes.size()}};
  // NOLINTEND(cppcoreguidelines-pro-type-const-cast)
  std::size_t left = sizeof lengths + head.size() + bytes.size();
  Control control{};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  if (file >= 0) attach(message, control, file);
  while (left > 0) {
    const ssize_t sent = sendmsg(socket_.number(), &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    message.msg_control = nullptr;
    message.msg_controllen = 0;
    left -= static_cast<std::size_t>(sent);
    skip(parts, static_cast<std::size_t>(sent));
  }
  return true;
}

std::optional<Message> Channel::receive(const std::stop_token& stop) const {
  Lengths lengths;
  if (!take(&lengths, sizeof lengths, stop)) return std::nullopt;
  return receive_rest(&lengths);
}

std::optional<Message> Channel::receive_with_file() const {
  Lengths lengths;
  iovec part{&lengths, sizeof lengths};
  Control control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes.data();
  message.msg_controllen = control.bytes.size();
  ssize_t got = -1;
  do got = recvmsg(socket_.number(), &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  while (got < 0 && errno == EINTR);
  Descriptor file = attached(message);
  if (got != static_cast<ssize_t>(sizeof lengths)) return std::nullopt;
  std::optional<Message> rest = receive_rest(&lengths);
  if (rest) rest->file = std::move(file);
  return rest;
}

std::optional<Message> Channel::receive_rest(const void* lengths) const {
  Lengths of;
  std::memcpy(&of, lengths, sizeof of);
  if (of.head > kMostHead || of.bytes > kMostBytes) return std::nullopt;
  Message message;
  message.head.resize(of.head);
  if (!take(message.head.data(), of.head)) return std::nullopt;
  if (of.bytes == 0) return message;
  message.bytes = new_av_packet();
  if (av_new_packet(message.bytes.get(), static_cast<int>(of.bytes)) < 0) throw std::bad_alloc();
  if (!take(message.bytes->data, of.bytes)) return std::nullopt;
  return message;
}

/// Waits for this many bytes. Returns false if fewer come.
bool Channel::take(void* to, std::size_t bytes, const std::stop_token& stop) const {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    pollfd data{socket_.number(), POLLIN, 0};
    while (stop.stop_possible() && poll(&data, 1, kStopCheckMs) <= 0)
      if (stop.stop_requested()) throw Stopped();
    const ssize_t got = recv(socket_.number(), at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace facepipe::video
