// Makes the table of grey levels for cascades: luma in 8 bits of full range. All devices use the
// same table.
#pragma once

#include <cstdint>
#include <vector>

namespace facepipe::detector::cascade {

/// Returns the grey level of each value of a sample with `bits` bits, after the format's shift was
/// undone. Full range is scaled to 0..255. Limited range is expanded and clamped: 16 << (bits - 8)
/// becomes 0, and 235 << (bits - 8) becomes 255. Levels are rounded to nearest. Samples of 8 bits
/// and full range stay unchanged.
[[nodiscard]] std::vector<std::uint8_t> grey_table(int bits, bool full_range);

}  // namespace facepipe::detector::cascade
