#include "app/review/http_connection.h"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <sstream>
#include <string>
#include <utility>

#include "app/failure.h"
#include "core/error.h"

namespace facepipe::app {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;
using Response = http::response<http::string_body>;
using Parser = http::request_parser<http::string_body>;

/// Returns the first buffer that isn't empty; an empty one if all are.
template <class Buffer, class Buffers>
Buffer first_of(const Buffers& buffers) {
  const auto end = boost::asio::buffer_sequence_end(buffers);
  for (auto buffer = boost::asio::buffer_sequence_begin(buffers); buffer != end; ++buffer)
    if (const Buffer place(*buffer); place.size() > 0) return place;
  return Buffer();
}

/// Lets Beast read and write a TimedSocket (SyncReadStream and SyncWriteStream of Asio).
class BeastStream {
 public:
  explicit BeastStream(TimedSocket& socket) : socket_(socket) {}

  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, error_code& error) {
    const auto place = first_of<boost::asio::mutable_buffer>(buffers);
    int code = 0;
    const std::size_t count =
        socket_.read({static_cast<std::byte*>(place.data()), place.size()}, code);
    error = system_error_of(code);
    if (code == 0 && count == 0 && place.size() > 0) error = boost::asio::error::eof;
    return count;
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers, error_code& error) {
    const auto place = first_of<boost::asio::const_buffer>(buffers);
    error = {};
    if (place.size() == 0) return 0;
    int code = 0;
    const std::size_t count =
        socket_.write({static_cast<const std::byte*>(place.data()), place.size()}, code);
    error = system_error_of(code);
    return count;
  }
  // Asio also demands functions that throw.
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers) {
    error_code error;
    const std::size_t count = read_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return count;
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers) {
    error_code error;
    const std::size_t count = write_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return count;
  }

 private:
  static error_code system_error_of(int code) {
    return code == 0 ? error_code() : error_code(code, boost::system::system_category());
  }

  TimedSocket& socket_;
};

// Faces must not stay in a cache, and no other page may show ours or learn its address.
constexpr std::array<std::pair<const char*, const char*>, 6> kHeaders{
    {{"Cache-Control", "no-store"},
     {"X-Content-Type-Options", "nosniff"},
     {"Referrer-Policy", "no-referrer"},
     {"X-Frame-Options", "DENY"},
     {"Cross-Origin-Resource-Policy", "same-origin"},
     {"Cross-Origin-Opener-Policy", "same-origin"}}};

Response response_of(const HttpAnswer& answer, bool keeps_alive) {
  constexpr unsigned kHttp11 = 11;
  Response response(static_cast<http::status>(answer.status), kHttp11);
  response.set(http::field::content_type, answer.type);
  for (const auto& [name, value] : kHeaders) response.set(name, value);
  for (const auto& [name, value] : answer.headers) response.set(name, value);
  response.body() = answer.body;
  response.keep_alive(keeps_alive);
  response.prepare_payload();
  return response;
}

/// Returns the request without its body; nullopt if a header that decides something comes twice, or
/// if the target is not a path.
std::optional<HttpRequest> request_of(const Parser& parser) {
  const auto& message = parser.get();
  const std::string target(message.target());
  std::optional<HttpTarget> divided = divided_target(target);
  if (!divided) return std::nullopt;
  HttpRequest request{.method = std::string(message.method_string()),
                      .path = std::move(divided->path),
                      .query = std::move(divided->query),
                      .headers = {},
                      .body = {}};
  for (const auto& field : message) {
    std::string name(field.name_string());
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (!request.headers.emplace(std::move(name), std::string(field.value())).second)
      return std::nullopt;
  }
  return request;
}

class Connection {
 public:
  Connection(TimedSocket& socket, const HttpLimits& limits, const HttpHandler& handler)
      : socket_(socket), stream_(socket), limits_(limits), handler_(handler) {}

  void serve() {
    Clock::duration patience = limits_.first_byte;
    while (serve_one(patience)) patience = limits_.idle;
  }

 private:
  /// Serves the next request. Returns false if the connection ends.
  bool serve_one(Clock::duration patience) {
    socket_.expire_after(patience);
    if (buffer_.size() == 0 && socket_.wait_for_data() != 0) return false;
    socket_.expire_after(limits_.request);
    Parser parser;
    parser.header_limit(static_cast<std::uint32_t>(limits_.most_header_bytes));
    parser.body_limit(limits_.most_body_bytes);
    error_code error;
    http::read_header(stream_, buffer_, parser, error);
    if (error) return refuse_broken(error);
    std::optional<HttpRequest> request = request_of(parser);
    if (!request) return refuse(app::refusal(400, "the request is malformed"));
    if (const auto refused = handler_.refusal(*request)) return refuse(*refused);
    http::read(stream_, buffer_, parser, error);
    if (error) return refuse_broken(error);
    request->body = std::move(parser.get().body());
    return send(answer_to(*request), parser.keep_alive());
  }

  HttpAnswer answer_to(const HttpRequest& request) const {
    HttpAnswer answer;
    const auto failure = attempt({}, [&] { answer = handler_.answer(request); });
    if (failure) return app::refusal(500, failure->message);
    return answer;
  }

  /// Tells why Beast couldn't read a request, unless the other side has ended.
  bool refuse_broken(const error_code& error) {
    if (error == http::error::end_of_stream || error == http::error::partial_message ||
        error.value() == ECANCELED)
      return false;
    if (error == http::error::body_limit)
      return refuse(app::refusal(413, "the request is too large"));
    if (error == http::error::header_limit || error == http::error::buffer_overflow)
      return refuse(app::refusal(431, "the request's header is too large"));
    if (error.value() == ETIMEDOUT && error.category() == boost::system::system_category())
      return refuse(app::refusal(408, "the request took too long"));
    return refuse(app::refusal(400, "the request is malformed"));
  }

  bool refuse(const HttpAnswer& answer) {
    send(answer, false);
    return false;
  }

  bool send(const HttpAnswer& answer, bool keeps_alive) {
    socket_.expire_after(limits_.answer);
    Response response = response_of(answer, keeps_alive);
    error_code error;
    http::serializer<false, http::string_body> serializer(response);
    http::write(stream_, serializer, error);
    return !error && keeps_alive;
  }

  TimedSocket& socket_;
  BeastStream stream_;
  const HttpLimits& limits_;
  const HttpHandler& handler_;
  boost::beast::flat_buffer buffer_;
};

}  // namespace

void serve_connection(TimedSocket& socket, const HttpLimits& limits,
                      const HttpHandler& handler) noexcept {
  // A connection that fails, for example because there is no memory, ends without an answer.
  static_cast<void>(attempt({}, [&] { Connection(socket, limits, handler).serve(); }));
  socket.end();
}

std::string bytes_of(const HttpAnswer& answer) {
  std::ostringstream text;
  text << response_of(answer, false);
  return text.str();
}

}  // namespace facepipe::app
