// Writes bytes as text (RFC 4648).
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace facepipe::app {

/// Returns the bytes in base64, with padding.
/// @param bytes  at most 500 MB
[[nodiscard]] std::string base64(std::span<const std::byte> bytes);

}  // namespace facepipe::app
