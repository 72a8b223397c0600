// The one exception type that facepipe throws by intent. Its kind decides the program's exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace facepipe {

/// What failed; the values are the exit codes of the command line.
enum class ErrorKind {
  internal = 1,  ///< a defect of ours, or something that no other kind names
  usage = 2,     ///< options that contradict each other or make no sense
  input = 3,     ///< the input can't be opened, read or decoded
  device = 4,    ///< the device, engine or model can't be used
  output = 5,    ///< the output can't be written
};

/// One line that names the file or option and the reason.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

/// The exit code of a run that ends with `kind`.
[[nodiscard]] int exit_code(ErrorKind kind) noexcept;

/// "can't be written: " and the system's words for an errno.
[[nodiscard]] std::string write_failure(int code);

/// Thrown by a wait that was given up because the run is being stopped. Never shown to a user.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("stopped") {}
};

}  // namespace facepipe
