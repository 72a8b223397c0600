// Writes and reads files of candidates. A candidate is five little-endian floats: x1 y1 x2 y2
// score.
#pragma once

#include <bit>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/support/nms_cases.h"

namespace facepipe::bench {

static_assert(std::endian::native == std::endian::little, "floats go to files as they are");

inline void write_candidates(const std::filesystem::path& file, const test::NmsCase& all) {
  std::ofstream out(file, std::ios::binary);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Box& box = all.boxes[i];
    const float row[] = {box.x1, box.y1, box.x2, box.y2, all.scores[i]};
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    out.write(reinterpret_cast<const char*>(row), sizeof row);
  }
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

inline test::NmsCase read_candidates(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  test::NmsCase out;
  float row[5];
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  while (in.read(reinterpret_cast<char*>(row), sizeof row))
    out.add({row[0], row[1], row[2], row[3]}, row[4]);
  return out;
}

}  // namespace facepipe::bench
