// Limits the number of multiprocessors in a measurement.
#pragma once

#include <cstdint>

namespace facepipe::bench {

/// No device has more multiprocessors than this.
inline constexpr std::uint32_t kMostMultiprocessors = 1024;

}  // namespace facepipe::bench
