#include "app/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

namespace facepipe {

void open_closed_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const bool closed = fcntl(descriptor, F_GETFD) < 0 && errno == EBADF;
    // The lowest free number is this one, because those below are open. Without O_CLOEXEC, as the
    // three are.
    if (closed && open("/dev/null", O_RDWR) < 0) return;  // nothing that could be told anywhere
  }
}

void print(std::string_view text) {
  errno = 0;
  const bool taken = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if ((taken && std::fflush(stdout) == 0) || errno == EPIPE) return;
  throw standard_output_error(errno);
}

Error standard_output_error(int code) {
  return {ErrorKind::output,
          "standard output: can't be written: " + std::generic_category().message(code)};
}

}  // namespace facepipe
