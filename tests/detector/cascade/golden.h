// Reads golden/windows.txt, which lists what OpenCV finds in generated pictures. The beginning of
// the file explains its lines.
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

/// Returns a hash of the boxes, which doesn't depend on their order.
[[nodiscard]] std::uint64_t hash_of(std::vector<GoldenBox> boxes);

struct GoldenPicture {
  PictureRecipe recipe;
  std::uint64_t hash = 0;
};

struct GoldenBoxes {
  std::size_t count = 0;
  std::uint64_t hash = 0;
  std::vector<GoldenBox> listed;  ///< all boxes, or empty if the file has only their hash
};

struct GoldenCase {
  std::string picture;
  std::string cascade;  ///< NAME in haarcascade_NAME.xml
  std::size_t stages = 0;
  double factor = 0;
  Size least;
  Size largest;  ///< 0x0: no limit
  GoldenBoxes windows;
  std::optional<GoldenBoxes> groups;
};

struct WindowLists {
  std::map<std::string, std::string> cascades;  ///< {name: SHA-256 of the file}
  std::map<std::string, GoldenPicture> pictures;
  std::vector<GoldenCase> cases;
};

/// Reads the file. Throws std::runtime_error if a line has an error.
[[nodiscard]] WindowLists read_window_lists();

}  // namespace facepipe::test
