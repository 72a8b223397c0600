#include "core/passing_error.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace facepipe {

bool is_passing(int code) noexcept {
  constexpr std::array kPassing{EIO,         ENOSPC,       EDQUOT,       ESTALE,    ETIMEDOUT,
                                ECONNRESET,  ECONNREFUSED, ECONNABORTED, EPIPE,     EHOSTUNREACH,
                                ENETUNREACH, ENETDOWN,     ENETRESET,    EREMOTEIO, ENOMEM,
                                EAGAIN,      EMFILE,       ENFILE,       ENOLCK,    EBUSY};
  return std::ranges::find(kPassing, code) != kPassing.end();
}

void throw_write_failure(const std::string& target, int code) {
  const std::string message = target + ": " + write_failure(code);
  if (is_passing(code)) throw PassingError(ErrorKind::output, message);
  throw Error(ErrorKind::output, message);
}

}  // namespace facepipe
