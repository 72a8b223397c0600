#include "app/verify/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/error.h"

namespace facepipe {

MemoryFile::MemoryFile(std::span<const std::byte> bytes)
    : file_(memfd_create("picture", MFD_CLOEXEC)) {
  std::size_t written = 0;
  while (file_ >= 0 && written < bytes.size()) {
    const ssize_t part = write(file_, bytes.data() + written, bytes.size() - written);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) break;
    written += static_cast<std::size_t>(part);
  }
  if (file_ >= 0 && written == bytes.size()) return;
  const std::string reason = std::generic_category().message(errno);
  if (file_ >= 0) close(file_);
  throw Error(ErrorKind::internal, "no memory for an attached picture: " + reason);
}

MemoryFile::~MemoryFile() { close(file_); }

}  // namespace facepipe
