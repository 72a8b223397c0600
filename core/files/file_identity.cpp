#include "core/files/file_identity.h"

#include <sys/stat.h>

namespace facepipe {
namespace {

FileIdentity identity_by(const struct stat& status) {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  return {status.st_dev, status.st_ino, status.st_size,
          status.st_mtim.tv_sec * kNsPerSecond + status.st_mtim.tv_nsec};
}

}  // namespace

std::optional<FileIdentity> identity_of(const std::filesystem::path& path) noexcept {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return identity_by(status);
}

std::optional<FileIdentity> identity_of_name(const std::filesystem::path& path) noexcept {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return std::nullopt;
  return identity_by(status);
}

bool is_no_regular_file(const std::filesystem::path& path) noexcept {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace facepipe
