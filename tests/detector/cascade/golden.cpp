#include "tests/detector/cascade/golden.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace facepipe::test {
namespace {

std::uint64_t hexadecimal(const std::string& digits) { return std::stoull(digits, nullptr, 16); }

void read_picture(std::istream& line, WindowLists& golden) {
  std::string name;
  std::string hash;
  PictureRecipe recipe;
  line >> name >> recipe.size.width >> recipe.size.height >> recipe.seed >> recipe.faces >>
      recipe.contrast >> recipe.grey >> hash;
  golden.pictures[name] = {recipe, hexadecimal(hash)};
}

void read_case(std::istream& line, WindowLists& golden) {
  GoldenCase read;
  std::string hash;
  line >> read.picture >> read.cascade >> read.stages >> read.factor >> read.least.width >>
      read.least.height >> read.largest.width >> read.largest.height >> read.windows.count >> hash;
  read.windows.hash = hexadecimal(hash);
  long groups = 0;
  line >> groups >> hash;
  if (groups >= 0) read.groups = {static_cast<std::size_t>(groups), hexadecimal(hash), {}};
  golden.cases.push_back(read);
}

GoldenBox read_box(std::istream& line) {
  GoldenBox box;
  line >> box.x >> box.y >> box.width >> box.height;
  return box;
}

void read_line(std::istream& line, WindowLists& golden) {
  std::string what;
  line >> what;
  if (what == "cascade") {
    std::string name;
    line >> name >> golden.cascades[name];
  } else if (what == "picture") {
    read_picture(line, golden);
  } else if (what == "case") {
    read_case(line, golden);
  } else if (what == "window") {
    golden.cases.back().windows.listed.push_back(read_box(line));
  } else if (what == "group") {
    golden.cases.back().groups.value().listed.push_back(read_box(line));
  } else {
    line.setstate(std::ios::failbit);
  }
}

}  // namespace

std::uint64_t hash_of(std::vector<GoldenBox> boxes) {
  std::ranges::sort(boxes);
  std::vector<std::uint8_t> bytes;
  for (const GoldenBox& box : boxes)
    for (const int value : {box.x, box.y, box.width, box.height})
      for (int shift = 0; shift < 32; shift += 8)
        bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(value) >> shift));
  return fnv_hash(bytes);
}

WindowLists read_window_lists() {
  const std::string file = FACEPIPE_SOURCE_DIR "/tests/detector/cascade/golden/windows.txt";
  std::ifstream stream(file);
  WindowLists golden;
  for (std::string text; std::getline(stream, text);) {
    if (text.starts_with('#')) continue;
    std::istringstream line(text);
    read_line(line, golden);
    if (!line) throw std::runtime_error(file + ": can't read the line '" + text + "'");
  }
  if (golden.cases.empty()) throw std::runtime_error(file + " has no cases");
  return golden;
}

}  // namespace facepipe::test
