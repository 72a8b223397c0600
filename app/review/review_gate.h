// Decides which requests the review's server answers.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "app/review/http_message.h"

namespace facepipe::app {

/// A page of our own sends this header with each request that changes something. The pages of
/// others can't send it, because browsers would first ask us whether they may.
inline constexpr const char* kOwnHeader = "x-facepipe";

/// Lets in one browser: the one that opens address() first. It then gets a cookie, which lives as
/// long as this object. All functions are thread-safe.
///
/// Other programs and pages can reach 127.0.0.1, too. So a request is refused
/// * if it names another host, because a name that leads to 127.0.0.1 is another origin (421);
/// * if its origin, or the site that it comes from, is not ours (403);
/// * if it has no cookie (403);
/// * if it changes something and doesn't have our own header (403);
/// * if its method is neither GET nor POST (405).
class ReviewGate {
 public:
  /// Errors: Error(internal) if the system has no random bytes.
  explicit ReviewGate(std::uint16_t port);

  /// Returns the address that lets a browser in once: "http://127.0.0.1:PORT/open?t=...".
  [[nodiscard]] std::string address() const;

  /// Returns why a request is refused; nullopt if it may be answered.
  [[nodiscard]] std::optional<HttpAnswer> refusal(const HttpRequest& request) const;
  /// Answers GET /open: gives the cookie, if the token is right and nobody has used it before.
  [[nodiscard]] HttpAnswer open(const HttpRequest& request);

 private:
  [[nodiscard]] bool has_cookie(const HttpRequest& request) const;

  std::string host_;
  std::string cookie_name_;  ///< contains the port, because all ports of a host share their cookies
  std::string token_;
  std::string session_;
  std::mutex mutex_;
  bool used_ = false;
};

}  // namespace facepipe::app
