#include "core/error.h"

#include <system_error>

#include "core/terminal_text.h"

namespace facepipe {

Error::Error(ErrorKind kind, const std::string& message)
    : std::runtime_error(one_line(message)), kind_(kind) {}

int exit_code(ErrorKind kind) noexcept { return static_cast<int>(kind); }

std::string write_failure(int code) {
  return "can't be written: " + std::generic_category().message(code);
}

}  // namespace facepipe
