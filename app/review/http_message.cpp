#include "app/review/http_message.h"

#include <charconv>

namespace facepipe::app {

std::string HttpRequest::header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

std::optional<std::int64_t> HttpRequest::integer(std::string_view name) const {
  const auto found = query.find(name);
  if (found == query.end()) return std::nullopt;
  return whole_number(found->second);
}

HttpAnswer refusal(unsigned status, const std::string& reason) {
  return {.status = status, .body = reason + "\n"};
}

std::optional<HttpTarget> divided_target(std::string_view target) {
  if (!target.starts_with('/')) return std::nullopt;
  const std::size_t mark = target.find('?');
  HttpTarget divided{std::string(target.substr(0, mark)), {}};
  if (mark == std::string_view::npos) return divided;
  std::string_view rest = target.substr(mark + 1);
  for (int parts = 0; !rest.empty(); ++parts) {
    if (parts == kMostQueryParts) return std::nullopt;
    const std::size_t end = rest.find('&');
    const std::string_view part = rest.substr(0, end);
    const std::size_t equals = part.find('=');
    divided.query.insert_or_assign(
        std::string(part.substr(0, equals)),
        std::string(equals == std::string_view::npos ? "" : part.substr(equals + 1)));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return divided;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

}  // namespace facepipe::app
