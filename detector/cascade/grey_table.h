// The grey levels that a cascade looks at: luma, in 8 bits of full range. One table for all
// devices.
#pragma once

#include <cstdint>
#include <vector>

namespace facepipe::detector::cascade {

/// Grey levels of all values of a sample of `bits` bits (the format's shift undone): those of full
/// range scaled to 0..255, those of limited range expanded (16 << (bits - 8) is black,
/// 235 << (bits - 8) white) and clamped; rounded to nearest. 8 bits of full range stay as they are.
[[nodiscard]] std::vector<std::uint8_t> grey_table(int bits, bool full_range);

}  // namespace facepipe::detector::cascade
