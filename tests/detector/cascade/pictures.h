// Makes the pictures of golden/windows.txt from their recipes. The beginning of that file explains
// the recipes.
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
  int contrast = 256;  ///< in 1/256
  int grey = 128;
};

/// Returns the grey levels of a picture, row by row without padding.
[[nodiscard]] std::vector<std::uint8_t> make_picture(const PictureRecipe& recipe);

/// Returns the 64-bit FNV-1a hash of the bytes.
[[nodiscard]] std::uint64_t fnv_hash(std::span<const std::uint8_t> bytes);

}  // namespace facepipe::test
