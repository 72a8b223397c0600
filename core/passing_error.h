// Defines PassingError: a failure that another attempt of the same work may not meet.
#pragma once

#include <string>

#include "core/error.h"

namespace facepipe {

/// An Error whose cause may pass by itself: a connection broke off, a disk is full, another program
/// holds a lock, or the system or a device has no memory left. A scheduler may try the same work
/// again. Code that copies this object as an Error loses what it says.
class PassingError : public Error {
 public:
  using Error::Error;
  explicit PassingError(const Error& error) : Error(error) {}
};

/// Returns whether a failure of reading or writing with this errno may pass: a full disk or quota,
/// an error of a disk or of a network, or too few of the system's resources. A limit of the size of
/// files (EFBIG) doesn't pass.
[[nodiscard]] bool is_passing(int code) noexcept;

/// Throws Error(output) with "TARGET: can't be written: " and the system's text for the errno
/// `code`. It is a PassingError if is_passing(code).
[[noreturn]] void throw_write_failure(const std::string& target, int code);

}  // namespace facepipe
