// These tests talk to the server through sockets of their own, because a browser or an HTTP library
// would not send what is wrong.
#include "app/review/review_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <list>
#include <stdexcept>
#include <thread>

#include "app/review/review_gate.h"

namespace facepipe::test {
namespace {

using app::HttpAnswer;
using app::HttpRequest;
using std::chrono::milliseconds;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

/// A connection that a test controls byte by byte.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("can't connect");
  }
  ~Client() { close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Returns false if the other side has ended.
  [[nodiscard]] bool send(const std::string& text) const {
    std::size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t count = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }
  /// Returns all that comes until the other side ends, or until nothing comes for 20 seconds.
  [[nodiscard]] std::string read_all() const {
    std::string all;
    std::array<char, 65536> part{};
    pollfd ready{socket_, POLLIN, 0};
    while (poll(&ready, 1, 20'000) > 0) {
      const ssize_t count = recv(socket_, part.data(), part.size(), 0);
      if (count <= 0) return all;
      all.append(part.data(), static_cast<std::size_t>(count));
    }
    return all + " (the connection is still open)";
  }

 private:
  int socket_;
};

std::string status_of(const std::string& answer) { return answer.substr(0, answer.find('\r')); }

class ReviewServers : public testing::Test {
 protected:
  explicit ReviewServers(app::HttpLimits limits = {})
      : gate_(port_.number()), server_(port_, handler(), limits) {}

  [[nodiscard]] app::HttpHandler handler() {
    return {
        .refusal = [this](const HttpRequest& request) { return gate_.refusal(request); },
        .answer =
            [this](const HttpRequest& request) {
              if (request.path == "/open") return gate_.open(request);
              if (request.path == "/throw") throw std::runtime_error("it failed");
              return HttpAnswer{.body = request.method + " " + request.path + " " + request.body};
            }};
  }
  [[nodiscard]] std::string host() const { return "127.0.0.1:" + std::to_string(port_.number()); }
  /// Sends one request, whose connection then ends, and returns the answer.
  [[nodiscard]] std::string ask(const std::string& line, const std::string& headers,
                                const std::string& body = {}) const {
    const Client client(port_.number());
    static_cast<void>(
        client.send(line + " HTTP/1.1\r\nConnection: close\r\n" + headers + "\r\n" + body));
    return client.read_all();
  }
  [[nodiscard]] std::string token() const {
    return gate_.address().substr(gate_.address().find("t="));
  }
  /// Opens the address of the review, and returns the headers of a browser that is let in.
  [[nodiscard]] std::string let_in() const {
    const std::string answer = ask("GET /open?" + token(), "Host: " + host() + "\r\n");
    const std::size_t begin = answer.find("Set-Cookie: ") + 12;
    return "Host: " + host() +
           "\r\nCookie: " + answer.substr(begin, answer.find(';', begin) - begin) + "\r\n";
  }

  app::LoopbackPort port_;
  app::ReviewGate gate_;
  app::ReviewServer server_;
};

TEST_F(ReviewServers, LetInTheBrowserThatOpensTheAddress) {
  const std::string answer = ask("GET /open?" + token(), "Host: " + host() + "\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 303"));
  EXPECT_THAT(answer, HasSubstr("Location: /\r\n"));
  EXPECT_THAT(answer, HasSubstr("; HttpOnly; SameSite=Strict; Path=/\r\n"));
}

TEST_F(ReviewServers, LetInOneBrowserOnly) {
  const std::string headers = let_in();
  EXPECT_THAT(ask("GET /open?" + token(), "Host: " + host() + "\r\n"), StartsWith("HTTP/1.1 403"));
  // The same browser may open the address again.
  EXPECT_THAT(ask("GET /open?" + token(), headers), StartsWith("HTTP/1.1 303"));
}

TEST_F(ReviewServers, LetNobodyInByAWrongToken) {
  const std::string right = token();
  std::string wrong = right;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  for (const std::string& query : {wrong, right.substr(0, right.size() - 1), right + "0",
                                   std::string("t="), std::string(), std::string("x=1")})
    EXPECT_THAT(ask("GET /open?" + query, "Host: " + host() + "\r\n"), StartsWith("HTTP/1.1 403"))
        << query;
  EXPECT_THAT(let_in(), HasSubstr("Cookie: facepipe-"));  // the right token still works
}

TEST_F(ReviewServers, AnswerTheBrowserThatWasLetIn) {
  const std::string headers = let_in();
  const std::string answer = ask("GET /tracks", headers);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr("GET /tracks"));
  for (const char* const header : {"Cache-Control: no-store", "X-Content-Type-Options: nosniff",
                                   "Referrer-Policy: no-referrer", "X-Frame-Options: DENY",
                                   "Cross-Origin-Resource-Policy: same-origin"})
    EXPECT_THAT(answer, HasSubstr(header));
  EXPECT_THAT(answer, Not(HasSubstr("Access-Control")));
  EXPECT_THAT(ask("POST /changes", headers + "X-Facepipe: 1\r\nContent-Length: 4\r\n", "body"),
              HasSubstr("POST /changes body"));
}

TEST_F(ReviewServers, RefuseOtherHosts) {
  const std::string headers = let_in();
  const std::string cookie = headers.substr(headers.find("Cookie"));
  const std::string port = std::to_string(port_.number());
  for (const std::string& name :
       {std::string("evil.example"), "evil.example:" + port, "localhost:" + port,
        std::string("127.0.0.1"), "127.0.0.1:1" + port, "[::1]:" + port, host() + ".evil.example"})
    EXPECT_THAT(ask("GET /tracks", "Host: " + name + "\r\n" + cookie), StartsWith("HTTP/1.1 421"))
        << name;
  EXPECT_THAT(ask("GET /tracks", cookie), StartsWith("HTTP/1.1 421"));
  EXPECT_THAT(ask("GET /tracks", headers + "Host: evil.example\r\n"), StartsWith("HTTP/1.1 400"));
}

TEST_F(ReviewServers, RefuseOtherOriginsAndSites) {
  const std::string headers = let_in();
  for (const std::string& line :
       {std::string("Origin: http://evil.example"), std::string("Origin: null"),
        std::string("Origin:"), "Origin: https://" + host(),
        "Origin: http://localhost:" + std::to_string(port_.number()),
        std::string("Sec-Fetch-Site: cross-site"), std::string("Sec-Fetch-Site: same-site")})
    EXPECT_THAT(ask("GET /tracks", headers + line + "\r\n"), StartsWith("HTTP/1.1 403")) << line;
  for (const std::string& line :
       {"Origin: http://" + host(), std::string("Sec-Fetch-Site: same-origin"),
        std::string("Sec-Fetch-Site: none")})
    EXPECT_THAT(ask("GET /tracks", headers + line + "\r\n"), StartsWith("HTTP/1.1 200")) << line;
}

TEST_F(ReviewServers, RefuseRequestsWithoutTheCookie) {
  const std::string headers = let_in();
  std::string wrong = headers.substr(headers.find("Cookie"));
  char& last = wrong[wrong.size() - 3];
  last = last == '0' ? '1' : '0';
  const std::string host_line = "Host: " + host() + "\r\n";
  for (const std::string& cookie :
       {std::string(), wrong, std::string("Cookie: x=1; facepipe=2\r\n"),
        std::string("Cookie: ;;;=\r\n")})
    for (const char* const path : {"/", "/tracks", "/frame?pts=0", "/review.js", "/nothing"})
      EXPECT_THAT(ask(std::string("GET ") + path, host_line + cookie), StartsWith("HTTP/1.1 403"))
          << path << cookie;
  std::string among = headers;
  among.replace(among.find("Cookie: "), 8, "Cookie: a=b; ");
  EXPECT_THAT(ask("GET /tracks", among), StartsWith("HTTP/1.1 200"));
}

TEST_F(ReviewServers, RefuseChangesWithoutThePagesHeader) {
  const std::string headers = let_in();
  const std::string length = "Content-Length: 2\r\n";
  EXPECT_THAT(ask("POST /changes", headers + length, "{}"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(ask("POST /quit", headers + length + "X-Facepipe: 2\r\n", "{}"),
              StartsWith("HTTP/1.1 403"));
}

TEST_F(ReviewServers, RefuseOtherMethods) {
  const std::string headers = let_in() + "X-Facepipe: 1\r\n";
  for (const char* const method : {"PUT", "DELETE", "OPTIONS", "TRACE", "HEAD", "CONNECT", "BREW"})
    EXPECT_THAT(ask(std::string(method) + " /tracks", headers), StartsWith("HTTP/1.1 40"))
        << method;
}

TEST_F(ReviewServers, RefuseWhatIsNoRequest) {
  for (const std::string& bytes :
       {std::string("\x16\x03\x01\x02\0\x01\0\x01\xfc\r\n\r\n", 13), std::string("GET\r\n\r\n"),
        std::string("\r\n\r\n\r\n x\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        "GET http://" + host() + "/ HTTP/1.1\r\nHost: " + host() + "\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: " + host() + "\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: " + host() + "\r\nContent-Length: -1\r\n\r\n",
        "GET /?a&b&c&d&e&f&g&h&i&j HTTP/1.1\r\nHost: " + host() + "\r\n\r\n"}) {
    const Client client(port_.number());
    static_cast<void>(client.send(bytes));
    EXPECT_THAT(client.read_all(), StartsWith("HTTP/1.1 400")) << bytes;
  }
}

TEST_F(ReviewServers, RefuseLargeHeadersAndBodies) {
  EXPECT_THAT(ask("GET /" + std::string(20'000, 'a'), "Host: " + host() + "\r\n"),
              StartsWith("HTTP/1.1 431"));
  const std::string headers = let_in() + "X-Facepipe: 1\r\n";
  EXPECT_THAT(ask("POST /changes", headers + "Content-Length: 4194305\r\n"),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(ask("POST /changes", headers + "Content-Length: 99999999999999\r\n"),
              StartsWith("HTTP/1.1 413"));
  // A body in chunks doesn't tell its length at the beginning.
  std::string chunks;
  const std::string chunk(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 6; ++i) chunks += "100000\r\n" + chunk + "\r\n";
  EXPECT_THAT(ask("POST /changes", headers + "Transfer-Encoding: chunked\r\n", chunks),
              AnyOf(StartsWith("HTTP/1.1 413"), IsEmpty()));
}

TEST_F(ReviewServers, TellWhyARequestFailed) {
  const std::string answer = ask("GET /throw", let_in());
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 500"));
  EXPECT_THAT(answer, HasSubstr("it failed"));
}

TEST_F(ReviewServers, ServeSeveralRequestsOfOneConnection) {
  const std::string headers = let_in();
  const Client client(port_.number());
  // The second request comes before the first one is answered.
  ASSERT_TRUE(client.send("GET /a HTTP/1.1\r\n" + headers +
                          "\r\nGET /b HTTP/1.1\r\nConnection: close\r\n" + headers + "\r\n"));
  const std::string answers = client.read_all();
  EXPECT_THAT(answers, HasSubstr("GET /a "));
  EXPECT_THAT(answers, HasSubstr("GET /b "));
}

TEST_F(ReviewServers, LimitTheNumberOfConnections) {
  std::list<Client> clients;
  for (int i = 0; i < app::kMostConnections; ++i) clients.emplace_back(port_.number());
  const Client one_more(port_.number());
  EXPECT_THAT(one_more.read_all(), StartsWith("HTTP/1.1 503"));
  clients.clear();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::string answer;
  do answer = ask("GET /", "Host: " + host() + "\r\n");
  while (status_of(answer).find("503") != std::string::npos &&
         std::chrono::steady_clock::now() < end);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 403"));
}

TEST_F(ReviewServers, SurviveThousandsOfConnections) {
  const std::string headers = let_in();
  for (int round = 0; round < 100; ++round) {
    std::list<Client> clients;
    for (int i = 0; i < 100; ++i) clients.emplace_back(port_.number());
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::string answer;
  do answer = ask("GET /tracks", headers);
  while (!answer.starts_with("HTTP/1.1 200") && std::chrono::steady_clock::now() < end);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
}

app::HttpLimits impatient() {
  app::HttpLimits limits;
  limits.first_byte = limits.idle = milliseconds(100);
  limits.request = milliseconds(300);
  return limits;
}

class ImpatientServers : public ReviewServers {
 protected:
  ImpatientServers() : ReviewServers(impatient()) {}
};

TEST_F(ImpatientServers, EndConnectionsThatSendNothing) {
  EXPECT_EQ(Client(port_.number()).read_all(), "");
}

TEST_F(ImpatientServers, EndRequestsThatComeSlowly) {
  const Client client(port_.number());
  const auto begin = std::chrono::steady_clock::now();
  const std::string request = "GET / HTTP/1.1\r\nHost: " + host() + "\r\nX: ";
  static_cast<void>(client.send(request));
  while (client.send("a") && std::chrono::steady_clock::now() - begin < std::chrono::seconds(20)) {
    pollfd none{-1, 0, 0};
    poll(&none, 1, 20);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
}

TEST_F(ImpatientServers, EndBodiesThatComeSlowly) {
  const Client client(port_.number());
  static_cast<void>(client.send("POST /changes HTTP/1.1\r\n" + let_in() +
                                "X-Facepipe: 1\r\nContent-Length: 100\r\n\r\nabc"));
  EXPECT_THAT(client.read_all(), StartsWith("HTTP/1.1 408"));
}

TEST(ReviewServer, EndsWhileConnectionsWait) {
  const app::LoopbackPort port;
  const auto begin = std::chrono::steady_clock::now();
  {
    const app::ReviewServer server(port,
                                   {.refusal = [](const HttpRequest&) { return std::nullopt; },
                                    .answer = [](const HttpRequest&) { return HttpAnswer{}; }});
    const Client silent(port.number());
    const Client half(port.number());
    static_cast<void>(half.send("GET / HTTP/1.1\r\nHost: x"));
    const Client whole(port.number());
    static_cast<void>(whole.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    std::this_thread::sleep_for(milliseconds(50));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));  // first_byte: 5 s
}

}  // namespace
}  // namespace facepipe::test
