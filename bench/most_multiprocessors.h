// The bound of a measurement's number of multiprocessors.
#pragma once

#include <cstdint>

namespace facepipe::bench {

/// No device has more.
inline constexpr std::uint32_t kMostMultiprocessors = 1024;

}  // namespace facepipe::bench
