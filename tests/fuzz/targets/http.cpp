// The bytes that a browser sends to the server of a review. The first byte of the input says
// whether the gate decides, as it does in the program. No input knows the gate's secret, so then no
// request may be answered.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

#include "app/review/http_connection.h"
#include "app/review/review_gate.h"
#include "app/review/timed_socket.h"
#include "tests/fuzz/targets.h"

namespace facepipe::fuzz {
namespace {

constexpr std::uint16_t kPort = 8080;
constexpr std::size_t kMostBody = 2048;
constexpr std::size_t kMostBytes = 4096;  ///< a socket's buffer holds them

/// Owns the browser's end of a connection, which sends some bytes and then nothing more.
class Browser {
 public:
  Browser() {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) != 0)
      throw std::runtime_error("no sockets");
  }
  ~Browser() { close(ends_[0]); }
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  void send(Bytes bytes) const {
    const Bytes sent = bytes.first(std::min(bytes.size(), kMostBytes));
    if (write(ends_[0], sent.data(), sent.size()) != static_cast<ssize_t>(sent.size()))
      throw std::runtime_error("can't write into a socket");
    shutdown(ends_[0], SHUT_WR);
  }
  [[nodiscard]] std::string received() const {
    std::string text;
    std::array<char, 65536> buffer{};
    for (ssize_t got = 1; got > 0;) {
      got = recv(ends_[0], buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return text;
  }
  /// Returns the server's end, which the server closes.
  [[nodiscard]] int other_end() const { return ends_[1]; }

 private:
  std::array<int, 2> ends_{};
};

}  // namespace

void fuzz_http(Bytes input) {
  static const app::StopEvent stop;
  Pieces pieces(input);
  const bool gated = pieces.byte() % 2 != 0;
  const Browser browser;
  browser.send(pieces.rest());
  app::ReviewGate gate(kPort);
  bool broken = false;
  const app::HttpHandler handler{
      .refusal = [&](const app::HttpRequest& request) -> std::optional<app::HttpAnswer> {
        broken = broken || !request.body.empty() || !request.path.starts_with('/');
        return gated ? gate.refusal(request) : std::nullopt;
      },
      .answer = [&](const app::HttpRequest& request) -> app::HttpAnswer {
        broken = broken || request.body.size() > kMostBody || (gated && request.path != "/open");
        static_cast<void>(request.integer("pts"));
        app::HttpAnswer answer = gate.open(request);
        broken = broken || answer.status != 403;
        return answer;
      }};
  app::HttpLimits limits;
  limits.most_body_bytes = kMostBody;
  // The browser reads nothing before the end, so very many answers fill its buffer.
  limits.answer = std::chrono::milliseconds(100);
  {
    app::TimedSocket socket(browser.other_end(), stop);
    serve_connection(socket, limits, handler);
  }
  require(!broken, "a request was answered that the server must refuse");
  const std::string answers = browser.received();
  require(answers.empty() || answers.starts_with("HTTP/1.1 "), "an answer isn't HTTP");
  require(answers.find("Set-Cookie") == std::string::npos, "somebody without the token gets in");
}

}  // namespace facepipe::fuzz
