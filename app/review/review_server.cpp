#include "app/review/review_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <utility>

#include "app/failure.h"
#include "core/error.h"
#include "core/threads.h"

namespace facepipe::app {
namespace {

constexpr int kBacklog = 1024;  // more connections would wait for a second before they try again
constexpr Clock::duration kPause = std::chrono::milliseconds(50);

[[noreturn]] void fail_to_listen(int socket) {
  const int code = errno;
  if (socket >= 0) close(socket);
  throw Error(ErrorKind::internal,
              "can't listen on 127.0.0.1: " + std::generic_category().message(code));
}

}  // namespace

LoopbackPort::LoopbackPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  socklen_t length = sizeof address;
  if (socket_ < 0 || bind(socket_, plain, length) != 0 || listen(socket_, kBacklog) != 0 ||
      getsockname(socket_, plain, &length) != 0)
    fail_to_listen(socket_);
  number_ = ntohs(address.sin_port);
}

LoopbackPort::~LoopbackPort() { close(socket_); }

ReviewServer::ReviewServer(const LoopbackPort& port, HttpHandler handler, HttpLimits limits)
    : port_(port), handler_(std::move(handler)), limits_(limits) {
  accepting_ = start_thread([this] { accept_all(); });
}

ReviewServer::~ReviewServer() {
  stop_.set();
  accepting_.join();
  served_.clear();  // joins the threads
}

void ReviewServer::accept_all() {
  while (true) {
    const Clock::time_point long_from_now = Clock::now() + std::chrono::hours(1);
    const int code = wait_for(port_.socket(), POLLIN, stop_, StopEndsWait::yes, long_from_now);
    if (code == ECANCELED) return;
    if (code != 0) continue;
    // If there is no memory or no thread for a connection, others can still be served.
    static_cast<void>(attempt({}, [this] { accept_one(); }));
  }
}

void ReviewServer::accept_one() {
  const int socket = accept4(port_.socket(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  forget_ended();
  if (socket < 0) {
    // Without a free descriptor, the connection stays ready, and accepting it would fail at once.
    if (errno == EMFILE || errno == ENFILE) std::this_thread::sleep_for(kPause);
    return;
  }
  if (served_.size() >= kMostConnections) {
    static const std::string full = bytes_of(refusal(503, "there are too many connections"));
    static_cast<void>(send(socket, full.data(), full.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
    close(socket);
    return;
  }
  // Otherwise the system would hold back the end of an answer until its beginning has arrived.
  const int at_once = 1;
  static_cast<void>(setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once));
  auto connection = std::make_shared<TimedSocket>(socket, stop_);
  Served& served = served_.emplace_back();
  try {
    served.thread = start_thread([this, connection, &served] {
      serve_connection(*connection, limits_, handler_);
      served.ended = true;
    });
  } catch (...) {
    served_.pop_back();
    throw;
  }
}

void ReviewServer::forget_ended() {
  served_.remove_if([](const Served& served) { return served.ended.load(); });
}

}  // namespace facepipe::app
