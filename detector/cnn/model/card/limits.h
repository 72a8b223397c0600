// What a card may hold at most. A card that is made of a file's content keeps to it, too, so that
// parse_card() reads it again.
#pragma once

#include <cstddef>

namespace facepipe::detector {

inline constexpr std::size_t kLongestName = 64;   ///< bytes, also of words for choices
inline constexpr std::size_t kLongestText = 200;  ///< bytes
inline constexpr std::size_t kMostClasses = 1000;
inline constexpr int kMostPoints = 64;  ///< landmarks of a box

}  // namespace facepipe::detector
