// Opens the address of a review in the user's browser.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace facepipe::app {

/// Lets a process of its own open the address, because nothing can be started in the sandbox. The
/// process must be started before the sandbox is closed. It doesn't trust what it gets: it opens
/// only an address of this review.
class BrowserOpener {
 public:
  /// Starts the process, if there is a desktop. If the system refuses, open() does nothing: the
  /// user then opens the address that was printed.
  /// @param port  of the review, on 127.0.0.1
  explicit BrowserOpener(std::uint16_t port);
  /// Ends the process, if it has opened nothing.
  ~BrowserOpener();
  BrowserOpener(const BrowserOpener&) = delete;
  BrowserOpener& operator=(const BrowserOpener&) = delete;

  /// Asks the desktop to open the address. Call it at most once.
  void open(const std::string& address);

 private:
  void close_pipe() noexcept;

  int to_process_ = -1;
  pid_t process_ = -1;
  bool opened_ = false;
};

/// Returns whether an address begins with http://127.0.0.1:PORT/ and has only letters that mean
/// nothing to a program that gets it.
[[nodiscard]] bool is_address_of_review(const std::string& address, std::uint16_t port);

}  // namespace facepipe::app
