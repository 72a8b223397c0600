// A folder of a test's own, and whole files as strings.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace facepipe::test {

/// A folder that ends with the object, and all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }

  /// Makes a file, and the folders that it is in; its path.
  std::filesystem::path write(std::string_view name, std::string_view bytes = "x") const;

  /// Names of all files and folders below, relative, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::filesystem::path path_;
};

/// All bytes of a file. Throws std::runtime_error where there is none.
[[nodiscard]] std::string read_file(const std::filesystem::path& file);

}  // namespace facepipe::test
