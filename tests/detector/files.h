// Finds models and pictures for the tests of detector/.
#pragma once

#include <filesystem>

#include "tests/support/extra_data.h"

namespace facepipe::test {

inline std::filesystem::path source_dir() { return FACEPIPE_SOURCE_DIR; }

/// ./dev setup fetches it; tests fail without it.
inline std::filesystem::path centerface_file() {
  return source_dir() / "data/fetched/models/centerface.onnx";
}

/// Nothing provides YuNet. Its tests are skipped unless somebody has put the file here.
inline std::filesystem::path yunet_file() { return extra_data() / "yunet_n_640_640.onnx"; }

inline std::filesystem::path city_file() { return source_dir() / "data/fetched/demo/city.jpg"; }
inline std::filesystem::path golden_file() {
  return source_dir() / "tests/detector/golden/golden.json";
}

}  // namespace facepipe::test
