// Listens on 127.0.0.1 and serves connections.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <thread>

#include "app/review/http_connection.h"
#include "app/review/timed_socket.h"

namespace facepipe::app {

/// Listens on a free port of 127.0.0.1, so that only this machine can connect.
class LoopbackPort {
 public:
  /// Errors: Error(internal) if the system refuses.
  LoopbackPort();
  ~LoopbackPort();
  LoopbackPort(const LoopbackPort&) = delete;
  LoopbackPort& operator=(const LoopbackPort&) = delete;

  [[nodiscard]] std::uint16_t number() const { return number_; }
  [[nodiscard]] int socket() const { return socket_; }

 private:
  int socket_;
  std::uint16_t number_ = 0;
};

/// A browser opens six connections. A connection that exceeds this number gets an answer that says
/// so, and ends.
inline constexpr int kMostConnections = 32;

/// Serves connections, a thread each, until it is destroyed.
class ReviewServer {
 public:
  /// @param port  must outlive this object
  /// Errors: Error(internal) if the system can't start a thread.
  ReviewServer(const LoopbackPort& port, HttpHandler handler, HttpLimits limits = {});
  /// Ends all waits for requests, and joins all threads.
  ~ReviewServer();
  ReviewServer(const ReviewServer&) = delete;
  ReviewServer& operator=(const ReviewServer&) = delete;

 private:
  struct Served {
    std::atomic<bool> ended = false;
    std::jthread thread;
  };

  void accept_all();
  void accept_one();
  void forget_ended();

  const LoopbackPort& port_;
  const HttpHandler handler_;
  const HttpLimits limits_;
  StopEvent stop_;
  std::list<Served> served_;  ///< only the accepting thread changes it
  std::jthread accepting_;    // last, because the thread uses all members above
};

}  // namespace facepipe::app
