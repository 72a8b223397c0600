// Owns file descriptors.
#pragma once

#include <unistd.h>

#include <utility>

namespace facepipe {

/// Owns a file descriptor, and closes it.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }

  [[nodiscard]] int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  /// Returns the descriptor, which this object no longer closes.
  int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace facepipe
