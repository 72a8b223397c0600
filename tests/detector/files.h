// Finds models and pictures for the tests of detector/.
#pragma once

#include <filesystem>

#include "tests/support/extra_data.h"

namespace facepipe::test {

inline std::filesystem::path source_dir() { return FACEPIPE_SOURCE_DIR; }

/// Returns the path of CenterFace, which ./dev setup fetches. Tests fail without the file.
inline std::filesystem::path centerface_file() {
  return source_dir() / "data/fetched/models/centerface.onnx";
}

/// Returns the path of YuNet, which no script fetches. Its tests are skipped if nobody has put the
/// file there.
inline std::filesystem::path yunet_file() { return extra_data() / "yunet_n_640_640.onnx"; }

inline std::filesystem::path city_file() { return source_dir() / "data/fetched/demo/city.jpg"; }
inline std::filesystem::path golden_file() {
  return source_dir() / "tests/detector/golden/golden.json";
}

}  // namespace facepipe::test
