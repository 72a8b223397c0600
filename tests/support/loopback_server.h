// Serves files over HTTP on the loopback, for tests of inputs that come from the network.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace facepipe::test {

/// Returns an answer that promises the whole file and holds its first `sent` bytes.
[[nodiscard]] std::string http_answer(const std::string& file, std::size_t sent);

class LoopbackServer {
 public:
  /// Returns the whole answer to a request, with its headers. `name` is the path behind the first
  /// slash.
  using Answer = std::function<std::string(const std::string& name)>;

  /// Serves one request after the other on a thread of its own, which calls `answer`. Throws
  /// std::runtime_error if the machine gives it no port.
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
