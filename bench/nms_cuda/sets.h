// Writes and reads sets of candidates on which suppression is measured, and lists of such sets.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/nms_cases.h"

namespace facepipe::bench {

struct Set {
  std::string name;
  std::string order;
  float threshold = 0;
  std::string file;
  test::NmsCase candidates;
};

/// Writes the sets of tests/support/nms_cases.h in two orders, and lists them on standard output.
void write_sets(const std::filesystem::path& folder);

/// Reads the sets that a list names. Throws std::runtime_error if it can't read a file or a line.
[[nodiscard]] std::vector<Set> read_list(const std::string& file);

}  // namespace facepipe::bench
