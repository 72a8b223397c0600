// Parses lists and dictionaries that Python has printed. Ultralytics' exporters store such texts in
// their files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace facepipe::detector {

/// Parses a list such as "[640, 640]", with at most `most` integers from 0 to 1000000. Returns
/// nullopt for all other texts.
[[nodiscard]] std::optional<std::vector<int>> python_integers(std::string_view text,
                                                              std::size_t most);

/// Parses a dictionary of at most `most` names, such as "{0: 'face', 1: \"a driver's licence\"}".
/// Its keys must be 0, 1, 2 and so on, in this order. Returns nullopt for all other texts.
[[nodiscard]] std::optional<std::vector<std::string>> python_names(std::string_view text,
                                                                   std::size_t most);

}  // namespace facepipe::detector
