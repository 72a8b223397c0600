// Bounds that hostile input meets before anything is allocated.
#pragma once

namespace facepipe {

/// Longest side of a picture in pixels, as H.264 level 6.2 and common sense have it.
inline constexpr int kMaxPictureSide = 16384;

}  // namespace facepipe
