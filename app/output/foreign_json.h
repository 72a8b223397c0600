// Parses JSON that this program need not have written itself: files that an earlier run has left,
// and requests.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace facepipe::app {

/// The most levels of lists and objects. Our own files have fewer than ten.
inline constexpr int kDeepestForeignJson = 64;

/// Returns the value; a discarded value (is_discarded()) if the text isn't JSON, or has more than
/// kDeepestForeignJson levels. The JSON library copies, compares and writes a value by functions
/// that call themselves once a level. So a few kilobytes of brackets could exhaust the stack.
[[nodiscard]] nlohmann::ordered_json foreign_json(std::string_view text);

}  // namespace facepipe::app
