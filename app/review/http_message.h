// Holds requests and answers of the review's server, without the library that reads and writes
// them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace facepipe::app {

struct HttpRequest {
  std::string method;  ///< "GET"
  std::string path;    ///< "/tracks": what stands before the first "?", as it was sent
  std::map<std::string, std::string, std::less<>> query;    ///< as sent: nothing is decoded
  std::map<std::string, std::string, std::less<>> headers;  ///< names in lower case
  std::string body;

  /// Returns a header; an empty text if there is none.
  [[nodiscard]] std::string header(std::string_view name) const;
  /// Returns the value of an integer in the query; nullopt if it is missing or no integer.
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const;
};

struct HttpAnswer {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};
};

/// Returns an answer that refuses a request, with the reason as its text.
[[nodiscard]] HttpAnswer refusal(unsigned status, const std::string& reason);

/// Divides "/frame?pts=3&w=960" into its path and its query. Returns nullopt if the target is not a
/// path, or if the query has more than kMostQueryParts.
struct HttpTarget {
  std::string path;
  std::map<std::string, std::string, std::less<>> query;
};
inline constexpr int kMostQueryParts = 8;
[[nodiscard]] std::optional<HttpTarget> divided_target(std::string_view target);

/// Returns the number that the whole text is; nullopt if it is none.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text);

}  // namespace facepipe::app
