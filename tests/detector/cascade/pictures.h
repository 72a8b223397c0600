// The pictures of golden/windows.txt, made from their recipes; that file tells how.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry.h"

namespace facepipe::test {

struct PictureRecipe {
  Size size;
  std::uint32_t seed = 0;
  int faces = 0;
  int contrast = 256;  ///< in 256ths
  int grey = 128;
};

/// Grey levels, row by row without gaps.
[[nodiscard]] std::vector<std::uint8_t> make_picture(const PictureRecipe& recipe);

/// FNV-1a of 64 bits.
[[nodiscard]] std::uint64_t fnv_hash(std::span<const std::uint8_t> bytes);

}  // namespace facepipe::test
