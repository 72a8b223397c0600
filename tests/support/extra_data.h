// Finds files that nothing fetches (conformance streams, a second model). Tests that need them are
// skipped if they are missing.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace facepipe::test {

/// Returns the folder that FACEPIPE_TEST_DATA names. If it is unset: the folder shared/data beside
/// the checkout.
inline std::filesystem::path extra_data() {
  const char* named = std::getenv("FACEPIPE_TEST_DATA");
  if (named != nullptr) return named;
  return std::filesystem::path(FACEPIPE_SOURCE_DIR) / "../shared/data";
}

}  // namespace facepipe::test
