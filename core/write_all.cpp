#include "core/write_all.h"

#include <unistd.h>

#include <cerrno>

namespace facepipe {

int write_all(int file, std::span<const std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written > 0)
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    else if (written == 0)
      return EIO;
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

}  // namespace facepipe
