// These bounds are checked before anything is allocated, because input may be hostile.
#pragma once

#include <cstdint>

namespace facepipe {

/// The longest side of a picture in pixels, chosen after H.264 level 6.2.
inline constexpr int kMaxPictureSide = 16384;

/// The most pixels that a user can allow for a picture, and how many are allowed by default.
inline constexpr std::int64_t kMostPixels = std::int64_t{kMaxPictureSide} * kMaxPictureSide;
inline constexpr std::int64_t kDefaultMaxPixels = std::int64_t{1} << 27;

}  // namespace facepipe
