#include "app/verify/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/error.h"
#include "core/write_all.h"

namespace facepipe::app {

MemoryFile::MemoryFile(std::span<const std::byte> bytes)
    : file_(memfd_create("picture", MFD_CLOEXEC)) {
  const int code = file_ < 0 ? errno : write_all(file_, bytes);
  if (code == 0) return;
  if (file_ >= 0) close(file_);
  throw Error(ErrorKind::internal,
              "no memory for an attached picture: " + std::generic_category().message(code));
}

MemoryFile::~MemoryFile() { close(file_); }

}  // namespace facepipe::app
