// Serves files over HTTP on the loopback interface, for tests of inputs from the network.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace facepipe::test {

/// Returns an HTTP answer that announces the whole file but contains only its first `sent` bytes.
[[nodiscard]] std::string http_answer(const std::string& file, std::size_t sent);

class LoopbackServer {
 public:
  /// Returns the whole answer to a request, with its headers. `name` is the request's path without
  /// its first slash.
  using Answer = std::function<std::string(const std::string& name)>;

  /// Starts a thread that serves one request after the other and calls `answer` for each. Throws
  /// std::runtime_error if it can't get a port.
  explicit LoopbackServer(Answer answer);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  [[nodiscard]] std::string url(const std::string& name) const;

 private:
  void serve() const;

  const Answer answer_;
  const int listener_;
  int port_ = 0;
  std::jthread thread_;
};

}  // namespace facepipe::test
