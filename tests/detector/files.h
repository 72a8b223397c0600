// Where the tests of detector/ find models and pictures.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace facepipe::test {

inline std::filesystem::path source_dir() { return FACEPIPE_SOURCE_DIR; }

/// Fetched by ./dev setup; tests fail without it.
inline std::filesystem::path centerface_file() {
  return source_dir() / "data/fetched/models/centerface.onnx";
}

/// Nothing ships YuNet; its tests skip where nobody has put the file here.
inline std::filesystem::path yunet_file() {
  return source_dir() / "../shared/data/yunet_n_640_640.onnx";
}

inline std::filesystem::path city_file() { return source_dir() / "data/fetched/demo/city.jpg"; }
inline std::filesystem::path golden_file() {
  return source_dir() / "tests/detector/golden/golden.json";
}

inline std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A folder of its own for one test, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test.test_suite_name()) + "." + test.name();
    for (char& letter : name)
      if (letter == '/') letter = '_';
    path_ = std::filesystem::path(testing::TempDir()) / ("facepipe." + name);
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] std::filesystem::path write(const std::string& name,
                                            const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace facepipe::test
