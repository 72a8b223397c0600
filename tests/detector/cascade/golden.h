// Reads golden/windows.txt: what OpenCV finds in generated pictures. The file's head explains its
// lines.
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

/// Sorts the boxes and returns their hash.
[[nodiscard]] std::uint64_t hash_of(std::vector<GoldenBox> boxes);

struct GoldenPicture {
  PictureRecipe recipe;
  std::uint64_t hash = 0;
};

struct GoldenBoxes {
  std::size_t count = 0;
  std::uint64_t hash = 0;
  std::vector<GoldenBox> listed;  ///< all windows, or none
};

struct GoldenCase {
  std::string picture;
  std::string cascade;  ///< the NAME of haarcascade_NAME.xml
  std::size_t stages = 0;
  double factor = 0;
  Size least;
  Size largest;  ///< 0x0: no maximum
  GoldenBoxes windows;
  std::optional<GoldenBoxes> groups;
};

struct WindowLists {
  std::map<std::string, std::string> cascades;  ///< SHA-256 of each cascade
  std::map<std::string, GoldenPicture> pictures;
  std::vector<GoldenCase> cases;
};

/// Reads the file. Throws std::runtime_error if it can't read a line.
[[nodiscard]] WindowLists read_window_lists();

}  // namespace facepipe::test
