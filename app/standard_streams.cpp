#include "app/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace facepipe {

void open_closed_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const bool closed = fcntl(descriptor, F_GETFD) < 0 && errno == EBADF;
    // The lowest free number is this one, because those below are open. Without O_CLOEXEC, as the
    // three are.
    if (closed && open("/dev/null", O_RDWR) < 0) return;  // nothing that could be told anywhere
  }
}

int write_at_once(std::FILE* stream, std::string_view text) {
  errno = 0;
  const bool taken = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  if ((taken && std::fflush(stream) == 0) || errno == EPIPE) return 0;
  return errno != 0 ? errno : EIO;
}

void print(std::string_view text) {
  if (const int code = write_at_once(stdout, text); code != 0) throw standard_output_error(code);
}

Error standard_output_error(int code) {
  return {ErrorKind::output, "standard output: " + write_failure(code)};
}

}  // namespace facepipe
