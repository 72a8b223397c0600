// Files that nothing fetches (conformance streams, a second model): tests that want them skip where
// they are not.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace facepipe::test {

/// The folder that FACEPIPE_TEST_DATA names; unset, the folder shared/data beside the checkout.
inline std::filesystem::path extra_data() {
  const char* named = std::getenv("FACEPIPE_TEST_DATA");
  if (named != nullptr) return named;
  return std::filesystem::path(FACEPIPE_SOURCE_DIR) / "../shared/data";
}

}  // namespace facepipe::test
