// golden/windows.txt: what OpenCV finds in generated pictures. Its head tells what the lines mean.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/geometry.h"
#include "tests/detector/cascade/pictures.h"

namespace facepipe::test {

struct GoldenBox {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  friend auto operator<=>(const GoldenBox&, const GoldenBox&) = default;
};

/// The hash of boxes, which are sorted for it.
[[nodiscard]] std::uint64_t hash_of(std::vector<GoldenBox> boxes);

struct GoldenPicture {
  PictureRecipe recipe;
  std::uint64_t hash = 0;
};

struct GoldenBoxes {
  std::size_t count = 0;
  std::uint64_t hash = 0;
  std::vector<GoldenBox> listed;  ///< all of them, or none
};

struct GoldenCase {
  std::string picture;
  std::string cascade;  ///< haarcascade_NAME.xml
  std::size_t stages = 0;
  double factor = 0;
  Size least;
  Size largest;  ///< 0x0: none
  GoldenBoxes windows;
  std::optional<GoldenBoxes> groups;
};

struct WindowLists {
  std::map<std::string, std::string> cascades;  ///< SHA-256 of each
  std::map<std::string, GoldenPicture> pictures;
  std::vector<GoldenCase> cases;
};

/// Throws std::runtime_error for a line that it can't read.
[[nodiscard]] WindowLists read_window_lists();

}  // namespace facepipe::test
