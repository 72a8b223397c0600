// Defines Error, the exception that facepipe throws on purpose, and Stopped. An Error's kind
// decides the program's exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace facepipe {

/// Says what failed. The values are the exit codes of the command line.
enum class ErrorKind {
  internal = 1,  ///< a defect in facepipe, or something that no other kind names
  usage = 2,     ///< options that contradict each other or make no sense
  input = 3,     ///< the input can't be opened, read or decoded
  device = 4,    ///< the device, engine or model can't be used
  output = 5,    ///< the output can't be written
};

/// Holds a kind and a message. The message is one line that names the file or option and the
/// reason.
class Error : public std::runtime_error {
 public:
  /// The message may quote names and contents of files: what() returns it by one_line().
  /// Code that quotes a name that a file contains shortens it with shown_name().
  Error(ErrorKind kind, const std::string& message);

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

/// Returns the exit code of a run that ends with `kind`.
[[nodiscard]] int exit_code(ErrorKind kind) noexcept;

/// Returns "can't be written: " and the system's text for the errno `code`.
[[nodiscard]] std::string write_failure(int code);

/// A waiting function throws Stopped if the run stops. Users never see this exception.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("stopped") {}
};

}  // namespace facepipe
