// Makes the pictures of golden/windows.txt from their recipes. The file's head explains them.
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

/// Returns grey levels, row by row without gaps.
[[nodiscard]] std::vector<std::uint8_t> make_picture(const PictureRecipe& recipe);

/// Returns the 64-bit FNV-1a hash.
[[nodiscard]] std::uint64_t fnv_hash(std::span<const std::uint8_t> bytes);

}  // namespace facepipe::test
