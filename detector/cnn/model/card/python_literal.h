// Lists and dictionaries as Python prints them. Exporters of Ultralytics store such texts in their
// files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace facepipe::detector {

/// Reads "[640, 640]": at most `most` integers of 0 to 1000000. Returns nullopt for all other
/// texts.
[[nodiscard]] std::optional<std::vector<int>> python_integers(std::string_view text,
                                                              std::size_t most);

/// Reads "{0: 'face', 1: \"a driver's licence\"}": at most `most` names, for the numbers from 0 on
/// in their order. Returns nullopt for all other texts.
[[nodiscard]] std::optional<std::vector<std::string>> python_names(std::string_view text,
                                                                   std::size_t most);

/// Tells whether a dictionary as text has a member with this name whose value is True.
[[nodiscard]] bool python_is_true(std::string_view text, std::string_view name);

}  // namespace facepipe::detector
