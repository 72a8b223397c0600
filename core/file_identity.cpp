#include "core/file_identity.h"

#include <sys/stat.h>

namespace facepipe {

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  FileIdentity identity;
  identity.device = static_cast<std::uint64_t>(status.st_dev);
  identity.inode = static_cast<std::uint64_t>(status.st_ino);
  identity.bytes = static_cast<std::uint64_t>(status.st_size);
  identity.written_s = status.st_mtim.tv_sec;
  identity.written_ns = status.st_mtim.tv_nsec;
  return identity;
}

}  // namespace facepipe
