#include "core/error.h"

namespace facepipe {

int exit_code(ErrorKind kind) noexcept { return static_cast<int>(kind); }

}  // namespace facepipe
