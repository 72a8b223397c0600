// Appends to files with system calls alone, because the functions of the C library may be failing.
// failing_calls.cpp and failing_driver.cpp use it.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

namespace facepipe::test {

/// Returns a descriptor; -1 without a name, and if the file can't be opened.
inline long open_to_append(const char* name) {
  if (name == nullptr) return -1;
  const long opened = syscall(SYS_open, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  return opened < 0 ? -1 : opened;
}

inline void append(long file, const char* text) { syscall(SYS_write, file, text, strlen(text)); }

}  // namespace facepipe::test
