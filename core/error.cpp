#include "core/error.h"

#include <system_error>

namespace facepipe {

int exit_code(ErrorKind kind) noexcept { return static_cast<int>(kind); }

std::string write_failure(int code) {
  return "can't be written: " + std::generic_category().message(code);
}

}  // namespace facepipe
