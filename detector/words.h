// Joins words for a sentence.
#pragma once

#include <string>
#include <vector>

namespace facepipe::detector {

/// Returns "A", "A or B", or "A, B, or C" for one, two or three words.
[[nodiscard]] std::string any_of(const std::vector<std::string>& words);

}  // namespace facepipe::detector
