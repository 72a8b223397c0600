// Words of a sentence.
#pragma once

#include <string>
#include <vector>

namespace facepipe::detector {

/// Returns "A", "A or B", or "A, B, or C".
[[nodiscard]] std::string any_of(const std::vector<std::string>& words);

}  // namespace facepipe::detector
