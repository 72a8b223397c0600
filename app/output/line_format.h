// How a line in a file beside the video tells its input.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace facepipe::app {

/// What a line looks like.
struct LineFormat {
  std::string header;  ///< the first line, with its line break; empty if there is none
  /// Returns the input that a line belongs to, as it is written there; nullopt if this program
  /// didn't write the line.
  std::optional<std::string_view> (*input_of)(std::string_view line) = nullptr;
};

/// Reads {"file":NAME, ...}: returns the name with its quotes.
[[nodiscard]] std::optional<std::string_view> input_of_json(std::string_view line);
/// Returns the first field, with its quotes if it has them.
[[nodiscard]] std::optional<std::string_view> input_of_csv(std::string_view line);

}  // namespace facepipe::app
