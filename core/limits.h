// Bounds that hostile input meets before anything is allocated.
#pragma once

#include <cstdint>

namespace facepipe {

/// Longest side of a picture in pixels, as H.264 level 6.2 and common sense have it.
inline constexpr int kMaxPictureSide = 16384;

/// The most that a user can let a picture have, and what it may have unless told.
inline constexpr std::int64_t kMostPixels = std::int64_t{kMaxPictureSide} * kMaxPictureSide;
inline constexpr std::int64_t kDefaultMaxPixels = std::int64_t{1} << 27;

}  // namespace facepipe
