// Makes a temporary folder for a test, and reads whole files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace facepipe::test {

/// Owns a temporary folder. The destructor removes it with its contents.
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

  /// Writes a file and the folders that contain it. Returns the file's path.
  std::filesystem::path write(std::string_view name, std::string_view bytes = "x") const;

  /// Returns the relative names of all files and folders in the folder, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::filesystem::path path_;
};

/// Returns all bytes of a file. Throws std::runtime_error if it doesn't exist.
[[nodiscard]] std::string read_file(const std::filesystem::path& file);

}  // namespace facepipe::test
