#include "app/review/review_gate.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <system_error>

#include "core/error.h"

namespace facepipe::app {
namespace {

constexpr std::size_t kSecretBytes = 32;

/// Returns 256 random bits in hexadecimal digits.
std::string secret() {
  std::array<unsigned char, kSecretBytes> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error(ErrorKind::internal, "no random bytes: " + std::generic_category().message(errno));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

/// Compares without telling, by the time it takes, how many letters are right.
bool is_same_secret(std::string_view given, std::string_view right) {
  if (given.size() != right.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < right.size(); ++i)
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(right[i]);
  return difference == 0;
}

}  // namespace

ReviewGate::ReviewGate(std::uint16_t port)
    : host_("127.0.0.1:" + std::to_string(port)),
      cookie_name_("facepipe-" + std::to_string(port)),
      token_(secret()),
      session_(secret()) {}

std::string ReviewGate::address() const { return "http://" + host_ + "/open?t=" + token_; }

std::optional<HttpAnswer> ReviewGate::refusal(const HttpRequest& request) const {
  if (request.header("host") != host_) return app::refusal(421, "this server has another name");
  const std::string origin = request.header("origin");
  if (request.headers.contains("origin") && origin != "http://" + host_)
    return app::refusal(403, "another origin may not ask");
  const std::string site = request.header("sec-fetch-site");
  if (!site.empty() && site != "same-origin" && site != "none")
    return app::refusal(403, "another site may not ask");
  if (request.method != "GET" && request.method != "POST")
    return app::refusal(405, "only GET and POST are known");
  if (request.path == "/open") return std::nullopt;
  if (!has_cookie(request))
    return app::refusal(403, "open the address that facepipe review has printed");
  if (request.method == "POST" && request.header(kOwnHeader) != "1")
    return app::refusal(403, "only the review's page may change something");
  return std::nullopt;
}

HttpAnswer ReviewGate::open(const HttpRequest& request) {
  HttpAnswer answer{.status = 303};
  answer.headers.emplace_back("Location", "/");
  if (has_cookie(request)) return answer;  // the browser opens the address again
  const auto token = request.query.find("t");
  const std::scoped_lock lock(mutex_);
  const bool right = token != request.query.end() && is_same_secret(token->second, token_);
  if (!right || used_)
    return app::refusal(
        403, right ? "this address was used already: it works once" : "this address is wrong");
  used_ = true;
  answer.headers.emplace_back(
      "Set-Cookie", cookie_name_ + "=" + session_ + "; HttpOnly; SameSite=Strict; Path=/");
  return answer;
}

/// Looks for "NAME=VALUE" among the cookies, which "; " separates.
bool ReviewGate::has_cookie(const HttpRequest& request) const {
  const std::string all = request.header("cookie");
  std::string_view rest = all;
  while (!rest.empty()) {
    const std::size_t end = rest.find(';');
    const std::string_view cookie = rest.substr(0, end);
    const std::size_t equals = cookie.find('=');
    if (equals != std::string_view::npos && cookie.substr(0, equals) == cookie_name_ &&
        is_same_secret(cookie.substr(equals + 1), session_))
      return true;
    if (end == std::string_view::npos) return false;
    rest = rest.substr(end + 1);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
  }
  return false;
}

}  // namespace facepipe::app
