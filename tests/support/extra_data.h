// Finds files that no script fetches (conformance streams, a second model). Tests that need a
// missing file are skipped.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace facepipe::test {

/// Returns the folder that FACEPIPE_TEST_DATA names. If the variable isn't set, returns the folder
/// ../shared/data, relative to the repository.
inline std::filesystem::path extra_data() {
  const char* named = std::getenv("FACEPIPE_TEST_DATA");
  if (named != nullptr) return named;
  return std::filesystem::path(FACEPIPE_SOURCE_DIR) / "../shared/data";
}

}  // namespace facepipe::test
