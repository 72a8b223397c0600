// Implements `facepipe review`: finds faces, and lets a person decide in the browser which of them
// are hidden.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "app/options/options.h"
#include "app/review/open_browser.h"
#include "app/review/review_server.h"

namespace facepipe::app {

/// Holds what a review can't make in the sandbox.
class ReviewDoor {
 public:
  /// Errors: those of LoopbackPort.
  explicit ReviewDoor(const ReviewOptions& options) {
    if (!options.page.empty()) return;
    port_.emplace();
    if (options.opens_browser) browser_.emplace(port_->number());
  }

  /// Returns the port. There is none if the page is written as a file.
  [[nodiscard]] const LoopbackPort& port() const { return *port_; }
  /// Opens the address, unless the user doesn't want that.
  void open(const std::string& address) {
    if (browser_) browser_->open(address);
  }

 private:
  std::optional<LoopbackPort> port_;
  std::optional<BrowserOpener> browser_;
};

/// Searches the input if there are no tracks yet, then serves the page until the person ends the
/// review there, or until `stop` is requested. Either way, the edit file is saved. Returns the exit
/// code: that of the search if it fails, kExitInterrupted if `stop` ends the search or a rendering,
/// and otherwise 0. Throws Error.
[[nodiscard]] int review(const ReviewOptions& options, ReviewDoor& door,
                         const std::stop_token& stop);

}  // namespace facepipe::app
