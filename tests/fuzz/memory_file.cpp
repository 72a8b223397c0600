#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzzing.h"

namespace facepipe::fuzz {

MemoryFile::MemoryFile() : file_(memfd_create("fuzz", MFD_CLOEXEC)) {
  if (file_ < 0) throw std::runtime_error("no file in memory");
  path_ = "/proc/self/fd/" + std::to_string(file_);
}

MemoryFile::~MemoryFile() { close(file_); }

void MemoryFile::hold(std::string_view content) const {
  const bool held = ftruncate(file_, 0) == 0 && pwrite(file_, content.data(), content.size(), 0) ==
                                                    static_cast<ssize_t>(content.size());
  if (!held) throw std::runtime_error("can't write a file in memory");
}

}  // namespace facepipe::fuzz
