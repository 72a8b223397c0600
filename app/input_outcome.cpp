#include "app/input_outcome.h"

#include <array>

namespace facepipe {

std::string_view to_string(InputStatus status) {
  constexpr std::array<std::string_view, 6> kNames{"not run", "done",    "damaged",
                                                   "partial", "skipped", "failed"};
  return kNames[static_cast<std::size_t>(status)];
}

int exit_code(const std::vector<InputOutcome>& outcomes) {
  int code = kExitDone;
  for (const InputOutcome& outcome : outcomes) {
    if (outcome.code == kExitInterrupted) return kExitInterrupted;
    if (code == kExitDone) code = outcome.code;
  }
  return code;
}

}  // namespace facepipe
