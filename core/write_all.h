// Writes bytes to a file descriptor, until all of them are written.
#pragma once

#include <cstddef>
#include <span>

namespace facepipe {

/// Writes all bytes to an open file, at its current position. Returns 0 or an errno. If it fails,
/// some of the bytes may have been written.
[[nodiscard]] int write_all(int file, std::span<const std::byte> bytes) noexcept;

}  // namespace facepipe
