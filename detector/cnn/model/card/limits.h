// Limits of what a card may contain. The cards that recognised_card() makes also stay within these
// limits, so that parse_card() accepts them.
#pragma once

#include <cstddef>

namespace facepipe::detector {

inline constexpr std::size_t kLongestName = 64;   ///< bytes; also for the words of choices
inline constexpr std::size_t kLongestText = 200;  ///< bytes
inline constexpr std::size_t kMostClasses = 1000;
inline constexpr int kMostPoints = 64;  ///< number of landmarks of a box

}  // namespace facepipe::detector
