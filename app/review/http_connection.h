// Reads the requests of one connection and writes the answers. Only http_connection.cpp knows
// Boost.Beast, which takes long to compile.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "app/review/http_message.h"
#include "app/review/timed_socket.h"
#include "core/timing.h"

namespace facepipe::app {

/// Limits what a connection may take from the server.
struct HttpLimits {
  std::size_t most_header_bytes = std::size_t{16} << 10;
  std::size_t most_body_bytes = std::size_t{4} << 20;
  Clock::duration first_byte = std::chrono::seconds(5);  ///< of a new connection
  Clock::duration idle = std::chrono::seconds(60);       ///< until the next request
  Clock::duration request = std::chrono::seconds(10);    ///< until a whole request has come
  Clock::duration answer = std::chrono::seconds(30);     ///< until a whole answer has gone
};

/// Says what a server does with requests. Threads call these functions at the same time.
struct HttpHandler {
  /// Gets a request without its body. If it returns an answer, the body isn't read, and the
  /// connection ends.
  std::function<std::optional<HttpAnswer>(const HttpRequest&)> refusal;
  /// Answers a request. If it throws, the answer is the exception's text.
  std::function<HttpAnswer(const HttpRequest&)> answer;
};

/// Serves a connection until it ends, is refused, takes too long, or the server stops. Every answer
/// has headers that forbid browsers to keep it, to guess its type, and to show it in other pages.
void serve_connection(TimedSocket& socket, const HttpLimits& limits,
                      const HttpHandler& handler) noexcept;

/// Returns the bytes of an answer that ends its connection.
[[nodiscard]] std::string bytes_of(const HttpAnswer& answer);

}  // namespace facepipe::app
