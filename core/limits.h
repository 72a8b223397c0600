// Defines bounds that are checked before memory is allocated, because input may be hostile.
#pragma once

#include <cstdint>

namespace facepipe {

/// The longest side of a picture in pixels, as in H.264 level 6.2.
inline constexpr int kMaxPictureSide = 16384;

/// kMostPixels is the largest limit on a picture's pixels that a user can set. kDefaultMaxPixels is
/// the limit if the user sets none.
inline constexpr std::int64_t kMostPixels = std::int64_t{kMaxPictureSide} * kMaxPictureSide;
inline constexpr std::int64_t kDefaultMaxPixels = std::int64_t{1} << 27;

}  // namespace facepipe
