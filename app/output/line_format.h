// Describes how a line in a file besides the video names its input.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace facepipe::app {

/// Describes what a line looks like.
struct LineFormat {
  std::string header;  ///< the first line, with its line break; empty if there is none
  /// Returns the input that a line belongs to, as it is written in the line; nullopt if this
  /// program didn't write the line.
  std::optional<std::string_view> (*input_of)(std::string_view line) = nullptr;
};

/// Reads {"file":NAME, ...}: returns the name with its quotes.
[[nodiscard]] std::optional<std::string_view> input_of_json(std::string_view line);
/// Returns the first field of a CSV line, with its quotes if it has any.
[[nodiscard]] std::optional<std::string_view> input_of_csv(std::string_view line);

}  // namespace facepipe::app
