// Writes to a file descriptor until all is written.
#pragma once

#include <cstddef>
#include <span>

namespace facepipe {

/// Writes all bytes to an open file, at its current position. Returns 0, or an errno if it failed;
/// then some bytes may have been written.
[[nodiscard]] int write_all(int file, std::span<const std::byte> bytes) noexcept;

}  // namespace facepipe
