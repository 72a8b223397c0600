// The one catch for "one input among several": what was thrown becomes a code and a line.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace facepipe {

/// The program's exit codes that are no ErrorKind.
inline constexpr int kExitDone = 0;
inline constexpr int kExitDamaged = 6;
inline constexpr int kExitInterrupted = 130;

/// Why something ended without a result.
struct Failure {
  int code = 1;  ///< an exit code of the program
  std::string message;
};

/// Runs `work`; nothing if it returned, else what it threw, told in one line that names
/// `name` (nothing is put in front where it is empty).
[[nodiscard]] std::optional<Failure> attempt(const std::string& name,
                                             const std::function<void()>& work);

}  // namespace facepipe
